import { apiPixCharges, apiPixRefunds } from '#shared/bank/dialects/efi/charges.ts';
import { efiDefences } from '#shared/bank/dialects/efi/defences.ts';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedDefences } from '#shared/bank/ports/defences.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { payer } from '#test/bank/bank-orders.ts';
import type { Run } from './suite.ts';
import { bankIdOf, company, newReference, receiver, require } from './suite.ts';

const chargeOrder = (more: object = {}) => ({
  reference: newReference(),
  amount: centavos(2500),
  receiver,
  payer,
  description: 'Pão de queijo',
  expireDateTime: new Date(Date.now() + 3_600_000).toISOString(),
  ...more,
});

/** Charges: opened, opened again, paid, paid twice, removed, removed too late, unknown. */
export async function giveCharges({ connected, at, give, find }: Run): Promise<void> {
  const { open, remove } = checkedCharges(apiPixCharges(connected));
  const reader = bankReader(connected.client, () => new Date().toISOString());
  const paid = chargeOrder();
  await give(open, paid, 'DONE');
  // While it is ATIVA a repetition is a revision; one that asks first finds it.
  await give(open, paid, 'DONE');
  await give(open, paid, 'DONE', true);
  await at('pay', { txid: bankIdOf(paid.reference), times: 2, infoPagador: 'Obrigada' });
  require('a charge is paid twice', (await find(open, paid)).payments.length === 2);
  await give(remove, paid, 'DONE');
  await reader.readCharge(paid.reference);
  const removed = chargeOrder({ payer: company, description: '' });
  await give(open, removed, 'DONE');
  await give(remove, removed, 'DONE');
  await give(remove, removed, 'DONE', true);
  await give(open, removed, 'DONE');
  require('an unknown charge is not found', (await reader.readCharge(newReference())) === undefined);
}

/** Refunds: in parts, too much, twice with one id, failed; received Pix with and without a charge, and their list. */
export async function giveRefunds({ connected, at, give, find }: Run): Promise<void> {
  const refunds = checkedRefunds(apiPixRefunds(connected));
  const reader = bankReader(connected.client, () => new Date().toISOString());
  const [paid] = await at('pay', { valor: '10.00', tarifa: '0.10' });
  const endToEndId = String(paid.endToEndId);
  const refund = (amount: number, description?: string) => ({
    ...{ reference: newReference(), endToEndId, amount: centavos(amount) },
    ...(description !== undefined && { description }),
  });
  const settled = refund(400, 'Devolução a pedido');
  await give(refunds, settled, 'DONE');
  await give(refunds, settled, 'DONE', true);
  await at('end-refund', { endToEndId, id: bankIdOf(settled.reference), status: 'DEVOLVIDO' });
  require('a refund is settled', (await find(refunds, settled)).status === 'SETTLED');
  const failed = refund(300);
  await give(refunds, failed, 'DONE');
  await at('end-refund', { endToEndId, id: bankIdOf(failed.reference), status: 'NAO_REALIZADO' });
  require('a refund has failed', (await find(refunds, failed)).status === 'FAILED');
  await give(refunds, refund(700), 'REFUSED');
  await at('return-by-med', { endToEndId, valor: '1.00' });
  require('the received Pix with its refunds is found', (await reader.readReceivedPix(endToEndId)) !== undefined);
  await reader.readRefund(endToEndId, { id: settled.reference, amount: settled.amount });
  const [from, to] = [-3600, 3600].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
  require('received Pix are listed', (await reader.listReceived(from!, to!, 0)).items.length > 0);
}

/** Claims: listed; defended, defended again, after its time limit, after its decision, unknown. */
export async function giveDefences({ connected, at, give, find }: Run): Promise<void> {
  const defences = checkedDefences(efiDefences(connected));
  const reader = bankReader(connected.client, () => new Date().toISOString());
  const claimed = async (more: object = {}) => {
    const [{ endToEndId }] = await at('pay', { valor: '20.00' });
    const { idInfracao: claimId, criadoEm: claimedAt } = await at('claim', { endToEndId, ...more });
    const reference = newReference();
    return {
      ...{ reference, claimId: String(claimId), claimedAt: String(claimedAt) },
      text: 'Entregue.',
      documents: [],
    };
  };
  const open = await claimed();
  await give(defences, open, 'DONE');
  await give(defences, open, 'DONE', true);
  await find(defences, open);
  await give(defences, { ...open, text: 'Outra.' }, 'REFUSED');
  await give(defences, await claimed({ prazoFinalizacao: '2026-01-01T00:00:00.000Z' }), 'REFUSED');
  const decided = await claimed();
  await at('decide-claim', { idInfracao: decided.claimId, status: 'REJEITADA' });
  await give(defences, decided, 'REFUSED');
  const [from, to] = [-3600, 3600].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
  const { items } = await reader.listClaims(from!, to!, 0);
  require('claims are listed', items.map(({ status }) => status).join(' ') === 'DEFENDED OPEN REJECTED');
}
