import { describe, expect, it } from 'vitest';
import { centavos } from '../../shared/domain/money.ts';
import type { PayIn } from '../../shared/domain/pay-in.ts';
import { PAY_IN_STATUSES } from '../../shared/domain/pay-in.ts';
import { requestRefund } from '../../shared/domain/refund.ts';

const paidAt = '2026-01-15T15:00:00.000Z';
const wanted = { id: 'f'.repeat(32), at: '2026-01-20T15:00:00.000Z' };
const bank = { ispb: '99999004', account: '1234567' };
const payIn: PayIn = {
  id: '6f1b3c2e-0000-4000-8000-00000000ab00',
  externalId: 'I-1',
  accountId: 'A',
  status: 'PAID',
  qrcodeData: '',
  expireDateTime: '2026-01-16T15:00:00.000Z',
  amount: centavos(2500),
  description: 'Order 42',
  conciliationId: 'c'.repeat(32),
  createdAt: '2026-01-15T14:00:00.000Z',
  updatedAt: paidAt,
  paidAt,
  payer: { name: 'Maria', document: { type: 'CPF', number: '52998224725' } },
  ownerBank: { name: 'Padaria', document: '11444777000161', bank },
  version: 2,
};

describe('a refund', () => {
  it('is of the whole amount, and pending until the bank settles it', () => {
    expect(requestRefund({ payIn, refunds: [] }, { ...wanted, description: 'Returned' })).toEqual({
      id: wanted.id,
      orderId: payIn.id,
      amount: 2500,
      status: 'PENDING',
      description: 'Returned',
      createdAt: wanted.at,
    });
  });

  it.each(PAY_IN_STATUSES.filter((status) => status !== 'PAID'))('is not made of a pay-in that is %s', (status) => {
    expect(() => requestRefund({ payIn: { ...payIn, status }, refunds: [] }, wanted)).toThrow(
      `the status is ${status}`,
    );
  });

  it('is not asked for while another one is open', () => {
    const refunds = [requestRefund({ payIn, refunds: [] }, wanted)];
    expect(() => requestRefund({ payIn, refunds }, wanted)).toThrow(/is open already/);
  });

  it('can be asked for within 90 days of the payment, to the millisecond', () => {
    const request = (at: string) => requestRefund({ payIn, refunds: [] }, { ...wanted, at });
    expect(request('2026-04-15T15:00:00.000Z')).toMatchObject({ status: 'PENDING' });
    expect(() => request('2026-04-15T15:00:00.001Z')).toThrow(/within 90 days/);
  });
});
