import type { RequestOf } from '../../../shared/contracts/contract.ts';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import type { PayIn } from '../../../shared/domain/pay-in.ts';
import { forbiddenByState, notFound } from '../../../shared/domain/refusal.ts';
import { parseAccount } from '../../../shared/persistence/accounts.ts';
import type { Change } from '../../../shared/persistence/commit.ts';
import { keyExpiry } from '../../../shared/persistence/commit.ts';
import { payInCreated } from '../../../shared/persistence/pay-ins.ts';
import type { Item } from '../../../shared/persistence/store.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { CreatePayIn } from './contract.ts';
import { openPayIn } from './open-pay-in.ts';

type Request = RequestOf<typeof CreatePayIn>;

/** The pay-in, if the account may receive it. @throws Refusal for an account that is unknown or not active. */
export function decidePayIn(
  body: Request['body'],
  item: Item | undefined,
  at: Instant,
  { ids, settings }: Dependencies,
): PayIn {
  if (item === undefined) throw notFound('Account');
  const account = parseAccount(item);
  if (account.status !== 'ACTIVE')
    throw forbiddenByState('accountId', 'INVALID_VALUE', `The account is ${account.status}; it must be ACTIVE.`);
  return openPayIn(body, account, { at, ids, settings });
}

/** Everything that a new pay-in writes. */
export function creationOf({ caller, idempotencyKey: key, fingerprint }: Request, payIn: PayIn): Change {
  const { id: resourceId, externalId, createdAt: at } = payIn;
  const { companyId } = caller;
  return {
    companyId,
    at,
    idempotency: { operation: CreatePayIn.operationId, key, fingerprint, resourceId, expiresAt: keyExpiry(at) },
    unique: { kind: 'PAY_IN', externalId, resourceId },
    writes: [payInCreated(companyId, payIn)],
  };
}
