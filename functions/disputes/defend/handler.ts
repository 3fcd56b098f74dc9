import type { Operation } from '#shared/contract/contract.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { defend } from '#shared/disputes/states.ts';
import { defencePut, requireDispute } from '#shared/disputes/store.ts';
import { statusTransition } from '#shared/disputes/transition.ts';
import { defenceView } from '#shared/disputes/view.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { DefendDispute } from './contract.ts';

/**
 * Gives the bank the partner's answer to a claim.
 * @throws RequestError 404; 409 unless the dispute is open, after `dueAt`, and where the bank takes no defence by the
 * service; 422 for a key of another request
 */
export const defendDispute: Operation<typeof DefendDispute, Dependencies> = async (request, deps) => {
  const { caller, params, body, requestId } = request;
  const { companyId } = caller;
  const { store, ids, realNow } = deps;
  const read = () => requireDispute(store, companyId, params.id);
  return createOnce(deps, request, {
    operation: DefendDispute.operationId,
    keyLife: 'WEEK',
    find: read,
    decide: (found, at) => {
      if (found.dispute.connection !== undefined)
        throw forbiddenByState('id', 'INVALID_VALUE', 'The bank of this account takes a defence in its own app.');
      const { text, documents = [] } = body;
      return defend(found, { text, documents }, { id: ids.uuid(), at });
    },
    idOf: ({ defence }) => defence.id,
    change: ({ dispute, defence }, found, at) => {
      const context = { companyId, requestId, ids, at, realNow };
      const defences = [...found.defences, defence];
      const { ledger, writes, notifications } = statusTransition(
        context,
        { dispute: found.dispute, defences },
        { dispute },
        [defencePut(companyId, defence)],
      );
      return { writes, ...(ledger && { ledger }), ...(notifications && { notifications }) };
    },
    response: ({ defence }) => {
      countStatus('DISPUTE', 'DEFENDED');
      return { status: 201, body: defenceView(defence) };
    },
    replay: async (id) => {
      const defence = (await read()).defences.find((candidate) => candidate.id === id);
      if (defence === undefined) throw new Error('An idempotency key names a defence that does not exist.');
      return { status: 201, body: defenceView(defence), replayed: true };
    },
  });
};

export const handler = endpoint(DefendDispute, defendDispute, dependencies);
