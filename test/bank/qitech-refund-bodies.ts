import type { RefundOrder } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import type { Reply } from './qitech-bank.ts';
import { accountKey, reply } from './qitech-bank.ts';

/*
 * A refund at QI Tech: the received Pix, the answer to the request of the refund, and the refund as its Pix shows it.
 */

export const key = 'b6804f32-101e-4702-8fbc-c2dbc4c2ca00';
export const other = '6e290347-330d-4b3a-8ebb-2ac217ad6eb3';
export const pixKey = '8cb70dea-9fb0-4a68-9572-99a72849c8d6';
export const endToEndId = 'E3240250220211022203051750897529';
export const otherPayment = 'E32402502202405081755SxyT2DDcVwc';
export const returnId = 'D32402502202405081755SxyT2DDcVwc';
export const otherReturn = 'D35713491202309182058jlqdBkkHSWU';
const receivedAt = '2021-10-22T20:30:23.459Z';
export const at = '2021-10-23T10:00:00.000Z';
export const order: RefundOrder = {
  ...{ reference: key.replaceAll('-', ''), endToEndId, amount: centavos(4790), description: 'Troca' },
};

/** The answer to the request of a refund. */
export const answered = (more: object = {}) => ({
  ...{ request_control_key: key, reversal_status: 'sent', transaction_amount: 47.9, pix_transfer_key: other },
  ...{ end_to_end_id: returnId, created_at: at, ...more },
});
/** The refund as it is shown with its Pix. */
export const shown = (more: object = {}) => ({
  ...{ end_to_end_id: returnId, transfer_amount: 47.9, reversal_reason: 'client_request', created_at: at },
  ...{ pix_transfer_status: 'sent', pix_transfer_key: other, request_control_key: key, ...more },
});
export const received = (reversals: readonly object[] = [], more: object = {}) => ({
  ...{ pix_transfer_key: pixKey, end_to_end_id: endToEndId, account_key: accountKey, created_at: receivedAt },
  ...{ pix_transfer_status: 'received', transfer_amount: 147, fee_amount: 0, reversals, ...more },
});
export const listed = (...data: readonly object[]): Reply =>
  reply(201, { data, pagination: { current_page: 1, rows_per_page: 30 } });
export const half = (body: object): Reply => ({ status: 201, text: JSON.stringify(body).slice(0, -10) });
