import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { countStatus } from '../../../shared/operations/count-status.ts';
import { unlessReplayed } from '../../../shared/operations/unless-replayed.ts';
import type { IdempotencyRecord } from '../../../shared/persistence/commit.ts';
import { commit, rememberedKey, replayOf } from '../../../shared/persistence/commit.ts';
import { keys } from '../../../shared/persistence/keys.ts';
import { readOrder } from '../../../shared/persistence/orders.ts';
import { StoreUnavailable } from '../../../shared/persistence/store.ts';
import type { BankDependencies } from '../../../shared/runtime/bank-dependencies.ts';
import { bankDependencies } from '../../../shared/runtime/bank-dependencies.ts';
import { createdPayoutView } from '../../../shared/views/payout.ts';
import { CreatePayout } from './contract.ts';
import { alreadyExists, creationOf, decidePayout } from './decide-payout.ts';
import { handOver } from './hand-over.ts';

type Request = RequestOf<typeof CreatePayout>;
type Answer = AnswerOf<typeof CreatePayout>;

/**
 * Creates a payout and reserves its amount, in one transaction; then hands it to the bank (2.7, 4.5).
 * @throws Refusal for an account that is unknown, not active or short of money, a receiver whom the bank does not know or
 * who is someone else, an external id that is taken, or a key used for another request. @throws BankUnavailable.
 */
export async function createPayout(request: Request, deps: BankDependencies): Promise<Answer> {
  const { body, idempotencyKey } = request;
  const { companyId } = request.caller;
  const { store } = deps;
  const at = deps.now();
  const key = keys.idempotency(companyId, CreatePayout.operationId, idempotencyKey);
  const [known, taken, account, balance] = await store.read([
    key,
    keys.unique(companyId, 'PAYOUT', body.externalId),
    keys.account(companyId, body.accountId),
    keys.balance(companyId, body.accountId),
  ]);
  const remembered = rememberedKey(known, at);
  if (remembered !== undefined) return replay(request, deps, remembered);

  const outcome = await unlessReplayed({ store, key, at }, () =>
    decidePayout(request, { taken, account, balance }, at, deps),
  );
  if ('record' in outcome) return replay(request, deps, outcome.record);
  const order = outcome.decided;
  const committed = await commit(store, creationOf(request, order, deps));
  if (committed.ok) {
    countStatus('PAYOUT', 'PENDING');
    await handOver(request, deps, order);
    return { status: 201, body: createdPayoutView(order) };
  }
  if (committed.because === 'REPLAY') return replay(request, deps, committed.record);
  if (committed.because === 'ALREADY_EXISTS') throw alreadyExists();
  if (committed.because === 'BALANCE') throw committed.refusal;
  throw new StoreUnavailable('A new payout met a conflict.');
}

/** The first answer again, whatever became of payout, account and balance since. */
async function replay(request: Request, deps: BankDependencies, record: IdempotencyRecord): Promise<Answer> {
  const order = await readOrder(deps.store, request.caller.companyId, replayOf(record, request.fingerprint));
  if (order?.kind !== 'PAYOUT') throw new Error('An idempotency key names a payout that does not exist.');
  return { status: 201, body: createdPayoutView(order), replayed: true };
}

export const handler = endpoint(CreatePayout, createPayout, bankDependencies);
