import { firstOf } from '#shared/core/visible.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { CallContext, FoundCommand } from '#shared/bank/outcome.ts';
import type { ChargeOrder, ChargeState, UncheckedCharges } from '#shared/bank/ports/charges.ts';
import type { RefundOrder, RefundState, UncheckedRefunds } from '#shared/bank/ports/refunds.ts';
import { cobFacts, devolucaoFacts } from '#shared/bank/dialects/efi/facts.ts';
import { requireAbout } from '#shared/bank/about.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { foundOf, outcomeOf, unlessNotConnected } from '#shared/bank/calls/outcomes.ts';
import { efiAccount } from './connecting.ts';
import { bankId, documentField } from './fields.ts';
import type { CobBody as Cob, Devolucao } from './shapes.ts';
import { CobBody, DevolucaoBody } from './shapes.ts';
import { chargeState, refundState } from './states.ts';

/** Cobs: the `txid` is our reference. A repetition while the cob is `ATIVA` revises the same charge. */
export function apiPixCharges(connected: Connected): UncheckedCharges {
  const { client } = connected;
  const pathOf = ({ reference }: Pick<ChargeOrder, 'reference'>) => `/v2/cob/${bankId(reference)}`;
  /** Data that a reply about the charge must match: all of it after opening, only the reference after a removal. */
  type Known = Pick<ChargeOrder, 'reference'> & Partial<Pick<ChargeOrder, 'amount'>> & { readonly chave?: string };
  const stateOf =
    ({ reference, amount: valor, chave }: Known) =>
    (cob: Cob): ChargeState => {
      const txid = bankId(reference);
      requireAbout(client, { txid, chave, valor }, cobFacts(cob));
      return { ...chargeState(cob, client), txid };
    };
  const find = async (known: Known, { signal }: CallContext): Promise<FoundCommand<ChargeState>> =>
    foundOf(client, await client.question({ method: 'GET', path: pathOf(known), signal }), CobBody, stateOf(known));
  const knownOf = ({ reference, amount, receiver }: ChargeOrder): Known => {
    const chave = connected.connection.accounts[receiver.id]?.['chave'];
    return { reference, amount, ...(chave !== undefined && { chave }) };
  };
  return {
    open: {
      submit: (order, { at, signal }) =>
        unlessNotConnected(async () => {
          const { amount, payer, description, receiver } = order;
          const body = {
            calendario: { expiracao: Math.max(1, Math.ceil(secondsBetween(at, order.expireDateTime))) },
            devedor: { ...documentField(payer.document), nome: firstOf(payer.name, 200) },
            valor: { original: formatAmount(amount) },
            chave: efiAccount(connected, receiver).chave,
            ...(description !== '' && { solicitacaoPagador: firstOf(description, 140) }),
          };
          return outcomeOf(
            client,
            await client.command({ method: 'PUT', path: pathOf(order), body, signal }),
            CobBody,
            stateOf(knownOf(order)),
          );
        }),
      find: (order, context) => find(knownOf(order), context),
    },
    remove: {
      submit: async ({ reference }, { signal }) => {
        const body = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
        return outcomeOf(
          client,
          await client.command({ method: 'PATCH', path: pathOf({ reference }), body, signal }),
          CobBody,
          stateOf({ reference }),
        );
      },
      find: async ({ reference }, context) => {
        const found = await find({ reference }, context);
        return found.outcome === 'DONE' && found.state.status === 'ACTIVE' ? { outcome: 'NEVER_SEEN' } : found;
      },
    },
  };
}

/** Devoluções: found by the payment's end-to-end id and the refund's id. */
export function apiPixRefunds({ client }: Connected): UncheckedRefunds {
  const pathOf = ({ endToEndId, reference }: { readonly endToEndId: string; readonly reference: string }): string =>
    `/v2/pix/${endToEndId}/devolucao/${bankId(reference)}`;
  const stateOf =
    ({ reference, amount: valor }: RefundOrder, at: Instant) =>
    (devolucao: Devolucao): RefundState => {
      requireAbout(client, { id: bankId(reference), valor }, devolucaoFacts(devolucao));
      return refundState(devolucao, at, client);
    };
  return {
    submit: async (order, { at, signal }) => {
      const { amount, description } = order;
      const body = {
        valor: formatAmount(amount),
        ...(description !== undefined && description !== '' && { descricao: firstOf(description, 140) }),
      };
      const callOutcome = await client.command({ method: 'PUT', path: pathOf(order), body, signal });
      return outcomeOf(client, callOutcome, DevolucaoBody, stateOf(order, at));
    },
    find: async (order, { at, signal }) => {
      const callOutcome = await client.question({ method: 'GET', path: pathOf(order), signal });
      return foundOf(client, callOutcome, DevolucaoBody, stateOf(order, at));
    },
  };
}
