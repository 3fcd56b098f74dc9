import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import type { Refusal } from '../../../shared/domain/refusal.ts';
import { forbiddenByState } from '../../../shared/domain/refusal.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { countStatus } from '../../../shared/operations/count-status.ts';
import { unlessReplayed } from '../../../shared/operations/unless-replayed.ts';
import type { IdempotencyRecord } from '../../../shared/persistence/commit.ts';
import { commit, rememberedKey, replayOf } from '../../../shared/persistence/commit.ts';
import { keys } from '../../../shared/persistence/keys.ts';
import { payInOf } from '../../../shared/persistence/pay-ins.ts';
import { StoreUnavailable } from '../../../shared/persistence/store.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { payInView } from '../../../shared/views/pay-in.ts';
import { CreatePayIn } from './contract.ts';
import { creationOf, decidePayIn } from './decide-pay-in.ts';
import { payInAsCreated } from './open-pay-in.ts';

type Request = RequestOf<typeof CreatePayIn>;
type Answer = AnswerOf<typeof CreatePayIn>;

/**
 * Creates a pay-in with its QR code (decisions on orders, record of 2.6).
 * @throws Refusal for an account that is unknown or not active, an external id that is taken, or a key used for another
 * request.
 */
export async function createPayIn(request: Request, deps: Dependencies): Promise<Answer> {
  const { body, idempotencyKey, caller } = request;
  const { companyId } = caller;
  const { store } = deps;
  const at = deps.now();
  const key = keys.idempotency(companyId, CreatePayIn.operationId, idempotencyKey);
  const [known, account] = await store.read([key, keys.account(companyId, body.accountId)]);
  const remembered = rememberedKey(known, at);
  if (remembered !== undefined) return replay(request, deps, remembered);

  const outcome = await unlessReplayed({ store, key, at }, () => decidePayIn(body, account, at, deps));
  if ('record' in outcome) return replay(request, deps, outcome.record);
  const payIn = outcome.decided;
  const committed = await commit(store, creationOf(request, payIn));
  if (committed.ok) {
    countStatus('PAY_IN', payIn.status);
    return { status: 201, body: payInView(payIn) };
  }
  if (committed.because === 'REPLAY') return replay(request, deps, committed.record);
  if (committed.because === 'ALREADY_EXISTS') throw alreadyExists();
  throw new StoreUnavailable('A new pay-in met a conflict.');
}

/** The first answer again, whatever became of the pay-in since. */
async function replay(
  { caller, fingerprint }: Request,
  { store }: Dependencies,
  record: IdempotencyRecord,
): Promise<Answer> {
  const [item] = await store.read([keys.order(caller.companyId, replayOf(record, fingerprint))]);
  if (item === undefined) throw new Error('An idempotency key names a pay-in that does not exist.');
  return { status: 201, body: payInView(payInAsCreated(payInOf(item))), replayed: true };
}

function alreadyExists(): Refusal {
  return forbiddenByState('externalId', 'ALREADY_EXISTS', 'A pay-in with this externalId exists.');
}

export const handler = endpoint(CreatePayIn, createPayIn, dependencies);
