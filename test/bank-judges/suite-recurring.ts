import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { apiPixCharges } from '#shared/bank/dialects/efi/charges.ts';
import { apiPixRecurrences } from '#shared/bank/dialects/efi/recurrences.ts';
import { apiPixRecurringCharges } from '#shared/bank/dialects/efi/recurring-charges.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { centavos } from '#shared/core/money.ts';
import { accountId } from '#test/bank/scripted-bank.ts';
import { payer } from '#test/bank/bank-orders.ts';
import type { Run } from './suite.ts';
import { bankIdOf, company, inDays, newReference, receiver, require } from './suite.ts';

const recurrenceOrder = (more: object = {}) => ({
  reference: newReference(),
  externalId: 'contract-1',
  frequencyType: 'MONTHLY',
  startDate: inDays(1),
  allowChargeAfterDueDate: true,
  receiver: payer,
  debtor: payer,
  accountId,
  fixedAmount: centavos(2990),
  ...more,
});

/** Recurrences of journeys 2 and 3: opened, found, authorized, refused, ended by either side, expired; their list. */
export async function giveRecurrences({ connected, at, give, find, context }: Run): Promise<void> {
  const { open, cancel, read } = checkedRecurrences(apiPixRecurrences(connected));
  const { open: openCharge } = checkedCharges(apiPixCharges(connected));
  const canceled = recurrenceOrder({ description: 'Assinatura mensal', endDate: inDays(400) });
  const { recurrenceId } = await give(open, canceled, 'DONE');
  await give(open, canceled, 'DONE', true);
  await at('authorize', { idRec: recurrenceId });
  await read({ recurrenceId }, context());
  await give(cancel, { reference: newReference(), recurrenceId }, 'DONE');
  await give(cancel, { reference: newReference(), recurrenceId }, 'DONE');
  const firstCharge = newReference();
  const charge = { reference: firstCharge, amount: centavos(500), receiver, payer, description: 'Adesão' };
  await give(openCharge, { ...charge, expireDateTime: new Date(Date.now() + 3_600_000).toISOString() }, 'DONE');
  const withCharge = recurrenceOrder({ firstChargeTxid: firstCharge, externalId: 'x'.repeat(40) });
  require('journey 3 has one QR code', (await give(open, withCharge, 'DONE')).qrcode !== undefined);
  // Weekly, of an amount that varies, of a company.
  const varying = { fixedAmount: undefined, frequencyType: 'WEEKLY', allowChargeAfterDueDate: false, debtor: company };
  const refused = recurrenceOrder({ ...varying, maxAmountFloor: centavos(100) });
  await at('refuse', { idRec: (await give(open, refused, 'DONE')).recurrenceId });
  const expired = recurrenceOrder();
  await at('end', { idRec: (await give(open, expired, 'DONE')).recurrenceId, status: 'EXPIRADA' });
  const canceledByPayer = recurrenceOrder();
  const { recurrenceId: idRec } = await give(open, canceledByPayer, 'DONE');
  await at('authorize', { idRec });
  await at('end', { idRec, codigo: 'ACCL', solicitante: 'PSP_PAGADOR' });
  for (const one of [refused, expired, canceledByPayer]) await find(open, one);
  await give(open, recurrenceOrder({ startDate: inDays(-2) }), 'REFUSED');
  // Of a location that was kept before the rec was asked for: neither it nor the payer's list names one.
  const { body } = (await connected.client.command({ method: 'POST', path: '/v2/locrec' })) as { body: { id: number } };
  const kept = recurrenceOrder();
  await connected.recurrences.keep(kept.reference, { id: body.id, createdAt: context().at });
  require('the bank has not received the recurrence', (await open.find(kept, context())).outcome === 'NEVER_SEEN');
  await give(open, kept, 'DONE', true);
  const reader = bankReader(connected.client, () => new Date().toISOString());
  require('recurrences are listed', (await reader.listRecurrences(...lately(), 0)).items.length >= 5);
}

/** Recurring charges: scheduled, paid, tried again, withdrawn, rejected, sent again by the bank; their list. */
export async function giveRecurringCharges(run: Run): Promise<void> {
  const { connected, at, give, find } = run;
  const { open } = checkedRecurrences(apiPixRecurrences(connected));
  const { schedule, withdraw } = checkedRecurringCharges(apiPixRecurringCharges(connected));
  const scheduleOne = async (more: object = {}) => {
    const { recurrenceId } = await give(open, recurrenceOrder(), 'DONE');
    await at('authorize', { idRec: recurrenceId });
    const reference = newReference();
    const order = {
      ...({ reference, kind: 'FIRST_ATTEMPT', charge: reference, recurrenceId, receiver } as const),
      ...{ amount: centavos(2990), settlementDate: inDays(5), adjustsToBusinessDay: false, ...more },
    };
    await give(schedule, order, 'DONE');
    return { order, txid: bankIdOf(reference) };
  };
  const paid = await scheduleOne({ description: 'Mensalidade' });
  await give(schedule, paid.order, 'DONE');
  await at('attempt', { txid: paid.txid, status: 'AGENDADA' });
  await at('attempt', { txid: paid.txid, status: 'EXPIRADA' });
  const again = {
    ...paid.order,
    ...({ reference: newReference(), kind: 'NEW_ATTEMPT_AFTER_DUE_DATE', settlementDate: inDays(6) } as const),
  };
  await give(schedule, again, 'DONE');
  await give(schedule, again, 'DONE', true);
  await give(schedule, again, 'DONE');
  for (const status of ['AGENDADA', 'PAGA']) await at('attempt', { txid: paid.txid, status });
  require('the bank returns both attempts', (await find(schedule, again)).attempts.length === 2);
  await give(withdraw, { ...again, reason: 'REQUESTED_BY_RECEIVER' }, 'DONE');
  const withdrawn = await scheduleOne();
  const reason = 'REQUESTED_BY_RECEIVER';
  await give(withdraw, { ...withdrawn.order, reason }, 'DONE');
  await give(withdraw, { ...withdrawn.order, reason }, 'DONE', true);
  const rejected = await scheduleOne({ adjustsToBusinessDay: true });
  await at('attempt', { txid: rejected.txid, status: 'REJEITADA', codigo: 'AM09' });
  const failed = await scheduleOne();
  await at('attempt', { txid: failed.txid, status: 'CANCELADA', codigo: 'FAIL' });
  await find(schedule, failed.order);
  await at('resend', { txid: failed.txid });
  for (const { order } of [rejected, failed]) await find(schedule, order);
  const late = newReference();
  await give(schedule, { ...paid.order, reference: late, charge: late, settlementDate: inDays(-1) }, 'REFUSED');
  const reader = bankReader(connected.client, () => new Date().toISOString());
  require('charges are listed', (await reader.listRecurringCharges(...lately(), 0)).items.length >= 4);
}

const lately = () =>
  [-3600, 3600].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString()) as [string, string];
