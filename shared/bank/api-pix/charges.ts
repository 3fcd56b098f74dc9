import { secondsBetween } from '#shared/core/brasilia-time.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { CallContext, FoundCommand } from '../outcome.ts';
import type { ChargeOrder, ChargeState, UncheckedCharges } from '../ports/charges.ts';
import type { UncheckedRefunds } from '../ports/refunds.ts';
import type { Connected } from './connected.ts';
import { accountAt, bankId, documentField, foundOf, outcomeOf, unlessNotConnected } from './connected.ts';
import { CobBody, DevolucaoBody } from './shapes.ts';
import { chargeState, refundState } from './states.ts';

/** Cobs: the `txid` is our reference. A repetition while it is `ATIVA` is a revision, the same charge. */
export function apiPixCharges(connected: Connected): UncheckedCharges {
  const { client } = connected;
  const pathOf = ({ reference }: Pick<ChargeOrder, 'reference'>) => `/v2/cob/${bankId(reference)}`;
  const find = async (
    order: Pick<ChargeOrder, 'reference'>,
    { signal }: CallContext,
  ): Promise<FoundCommand<ChargeState>> =>
    foundOf(await client.question({ method: 'GET', path: pathOf(order), signal }), CobBody, chargeState);
  return {
    open: {
      submit: (order, { at, signal }) =>
        unlessNotConnected(async () => {
          const { amount, payer, description, receiver } = order;
          const body = {
            calendario: { expiracao: Math.max(1, Math.ceil(secondsBetween(at, order.expireDateTime))) },
            devedor: { ...documentField(payer.document), nome: payer.name.slice(0, 200) },
            valor: { original: formatAmount(amount) },
            chave: accountAt(connected, receiver).chave,
            ...(description !== '' && { solicitacaoPagador: description.slice(0, 140) }),
          };
          return outcomeOf(
            await client.command({ method: 'PUT', path: pathOf(order), body, signal }),
            CobBody,
            chargeState,
          );
        }),
      find,
    },
    remove: {
      submit: async (order, { signal }) => {
        const body = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
        return outcomeOf(
          await client.command({ method: 'PATCH', path: pathOf(order), body, signal }),
          CobBody,
          chargeState,
        );
      },
      find: async (order, context) => {
        const found = await find(order, context);
        return found.outcome === 'DONE' && found.state.status === 'ACTIVE' ? { outcome: 'NEVER_SEEN' } : found;
      },
    },
  };
}

/** Devoluções: found by the payment's end-to-end id and the refund's id. */
export function apiPixRefunds({ client }: Connected): UncheckedRefunds {
  const pathOf = ({ endToEndId, reference }: { readonly endToEndId: string; readonly reference: string }): string =>
    `/v2/pix/${endToEndId}/devolucao/${bankId(reference)}`;
  return {
    submit: async (order, { at, signal }) => {
      const { amount, description } = order;
      const body = {
        valor: formatAmount(amount),
        ...(description !== undefined && description !== '' && { descricao: description.slice(0, 140) }),
      };
      const verdict = await client.command({ method: 'PUT', path: pathOf(order), body, signal });
      return outcomeOf(verdict, DevolucaoBody, (devolucao) => refundState(devolucao, at));
    },
    find: async (order, { at, signal }) => {
      const verdict = await client.question({ method: 'GET', path: pathOf(order), signal });
      return foundOf(verdict, DevolucaoBody, (devolucao) => refundState(devolucao, at));
    },
  };
}
