import type { Operation } from '#shared/contract/contract.ts';
import { submitInTime } from '#shared/bank/submit-in-time.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import type { Dispute } from '#shared/disputes/model.ts';
import { isPending } from '#shared/disputes/model.ts';
import { defend } from '#shared/disputes/states.ts';
import { defencePut, pendingDefenceWrites, requireDispute } from '#shared/disputes/store.ts';
import { submitDefence } from '#shared/disputes/submit.ts';
import { statusTransition } from '#shared/disputes/transition.ts';
import { createdDefenceView } from '#shared/disputes/view.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import type { DefendingDependencies } from '#functions/banks.ts';
import { defendingDependencies } from '#functions/banks.ts';
import { DefendDispute } from './contract.ts';

/**
 * Gives the bank the partner's answer to a claim: the simulated bank with the commit, any other one by a command.
 * @throws RequestError 404; 409 unless the dispute is open, after `dueAt`, and where the bank takes no defence by the
 * service; 422 for a key of another request
 */
export const defendDispute: Operation<typeof DefendDispute, DefendingDependencies> = async (request, deps) => {
  const { caller, params, body, requestId } = request;
  const { companyId, clientId: createdBy } = caller;
  const { store, ids, realNow, bank } = deps;
  const read = () => requireDispute(store, companyId, params.id);
  return createOnce(deps, request, {
    operation: DefendDispute.operationId,
    keyLife: 'WEEK',
    find: read,
    decide: async (found, at) => {
      await requireDefences(bank, companyId, found.dispute);
      const { text, documents = [] } = body;
      return defend(found, { text, documents }, { id: ids.uuid(), at, createdBy });
    },
    idOf: ({ defence }) => defence.id,
    change: ({ dispute, defence }, found, at) => {
      if (isPending(defence))
        return { writes: pendingDefenceWrites(companyId, found.dispute, { dispute, defence }, realNow()) };
      const context = { companyId, requestId, ids, at, realNow };
      const defences = [...found.defences, defence];
      const defended = { dispute: found.dispute, defences };
      const { writes, notifications = [] } = statusTransition(context, defended, { dispute }, [
        defencePut(companyId, defence),
      ]);
      return { writes, notifications };
    },
    response: async ({ dispute, defence }) => {
      if (isPending(defence)) {
        const context = { store, ids, bank, at: defence.createdAt, realNow, companyId, requestId };
        const command = { companyId, requestId, disputeId: dispute.id };
        await submitInTime(() => submitDefence(context, { dispute, defence }, { again: false }), command);
      } else countStatus('DISPUTE', 'DEFENDED');
      return { status: 201, body: createdDefenceView(defence) };
    },
    replay: async (id) => {
      const defence = (await read()).defences.find((candidate) => candidate.id === id);
      if (defence === undefined) throw new Error('An idempotency key names a defence that does not exist.');
      return { status: 201, body: createdDefenceView(defence), replayed: true };
    },
  });
};

/** @throws RequestError 409 for a claim that the bank does not list, or a bank that takes no defence by its API */
async function requireDefences(
  bank: DefendingDependencies['bank'],
  companyId: string,
  { connection, claimId }: Dispute,
): Promise<void> {
  if (connection === undefined) return;
  const { claims } = await bank.capabilities(companyId, connection);
  if (!claims || claimId === undefined)
    throw forbiddenByState('id', 'INVALID_VALUE', 'The bank of this account takes a defence in its own app.');
}

export const handler = endpoint(DefendDispute, defendDispute, defendingDependencies);
