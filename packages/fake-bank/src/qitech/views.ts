import { reais } from '../amounts.ts';
import { institutionName } from './directory.ts';
import { maskedParty, personType } from './masks.ts';
import type { Party, Received, Transfer } from './model.ts';
import { reversalsOf } from './reversals.ts';
import type { Session } from './session.ts';

/** Returns a sent Pix as lists and look-ups show it, with the parts that came back. */
export function transferView({ drawer, settings }: Session, transfer: Transfer) {
  const { amount, target, rejection, returns, pix_key, ...shown } = transfer;
  const reason = settings.rejectionReason === 'OBJECT' ? rejection : rejection?.error_description;
  return {
    ...shown,
    pix_message: transfer.pix_message ?? null,
    target_account: { ...partyView(target), pix_key: pix_key ?? null },
    receiver_conciliation_id: null,
    transfer_amount: reais(amount),
    fee_amount: 0,
    rejection_reason: reason ?? null,
    reversals: returns.flatMap((key) => {
      const back = drawer.find('received', key);
      return back === undefined ? [] : [returnView(back)];
    }),
  };
}

function returnView({ end_to_end_id, amount, pix_transfer_key, created_at }: Received) {
  return {
    end_to_end_id,
    transfer_amount: reais(amount),
    reversal_reason: 'client_request',
    pix_transfer_status: 'received',
    pix_transfer_key,
    request_control_key: null,
    created_at,
  };
}

/** Returns a received Pix as its webhook, lists and look-ups show it, with the refunds that were not rejected. */
export function receivedView(session: Pick<Session, 'drawer'>, received: Received) {
  const { amount, source, original, pix_key, ...shown } = received;
  return {
    ...shown,
    pix_transfer_status: 'received',
    receiver_conciliation_id: null,
    transfer_amount: reais(amount),
    fee_amount: 0,
    target_pix_key: pix_key ?? null,
    source_account: partyView(source),
    pix_message: received.pix_message ?? null,
    reversals: reversalsOf(session, received).map((reversal) => ({
      end_to_end_id: reversal.end_to_end_id,
      transfer_amount: reais(reversal.amount),
      reversal_reason: reversal.reversal_reason,
      pix_transfer_status: reversal.reversal_status,
      pix_transfer_key: reversal.pix_transfer_key,
      request_control_key: reversal.request_control_key,
      created_at: reversal.created_at,
    })),
    ...(original !== undefined && { original_outgoing_pix_transfer: original }),
  };
}

function partyView(party: Party) {
  const { owner_document_number: document, ispb } = party;
  return {
    ...party,
    owner_document_number: maskedParty(document),
    owner_person_type: personType(document),
    financial_institution_name: institutionName(ispb),
  };
}
