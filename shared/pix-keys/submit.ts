import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import type { CommandOutcome, FoundCommand } from '../bank/outcome.ts';
import type { KeyOrder, KeyState } from '../bank/ports/keys.ts';
import { keyRefusalCodes } from '../bank/ports/keys.ts';
import { repeating } from '../bank/repeat.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import { submitInTime } from '../bank/submit-in-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { forbiddenByState } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import { recognisePixKey } from '../core/pix-key.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { readHash } from '../platform/keyed-hash.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { KeyValidation, RegistrableKeyType } from './model.ts';
import { isBeingRemoved, registrationSeconds } from './model.ts';
import type { Registration, RegistrationAnswer } from './states.ts';
import { answeredRegistration, nextVersion } from './states.ts';
import { answerWrites, keyCommandTaken, keyValidationUpdate, readKeyOfCommand, requireRegistration } from './store.ts';
import { applyRemoval } from './remove.ts';

type KeyContext = TransitionContext & {
  readonly bank: Pick<Bank, 'keys' | 'capabilities'>;
  readonly remainingMs?: () => number;
};

/**
 * Returns the connection of the bank that registers keys of this type for the account; undefined: the simulated bank.
 * @throws RequestError 409 on `type` where the bank of the account registers none
 */
export async function registrarOf(
  bank: Pick<Bank, 'capabilities' | 'connectionOf'>,
  { companyId, accountId }: { readonly companyId: string; readonly accountId: string },
  type: RegistrableKeyType,
): Promise<string | undefined> {
  const connection = await bank.connectionOf(companyId, accountId);
  const { keys: types } = await bank.capabilities(companyId, connection);
  if (types.includes(type)) return connection;
  throw forbiddenByState('type', 'INVALID_VALUE', 'The bank of the account registers no key of this type.');
}

/**
 * Asks the simulated bank, which answers before the commit. Any other bank gets the command after it
 * (`submitKeyCommand`). Pure of writes.
 */
export async function registeredAtOnce(
  bank: Pick<Bank, 'keys'>,
  { validation, quota }: Registration,
  { connection, at }: { readonly connection: string | undefined; readonly at: KeyContext['at'] },
): Promise<Registration> {
  const { companyId } = validation;
  const asked = { validation: { ...validation, ...pick({ connection }, 'connection') }, quota };
  if (connection !== undefined) return asked;
  const order = orderOf(validation);
  const answer = answerOf(order, await bank.keys.register.submit(order, { companyId, connection, at }));
  return typeof answer === 'object' ? answeredRegistration(asked, answer, at) : asked;
}

/**
 * Submits a registration that was committed just now. The request succeeds in any case: the worker repeats a submission
 * that fails here.
 */
export async function submitRegistrationInTime(context: KeyContext, validation: KeyValidation): Promise<void> {
  if (validation.status !== 'REGISTERING' || validation.connection === undefined) return;
  const { companyId, requestId } = context;
  const command = { companyId, requestId, validationId: validation.id };
  await submitInTime(() => submitKeyCommand(context, validation, { again: false }), command);
}

/** Submits the command of a due key: a lookup comes first. */
export async function submitDueKeyCommand(context: KeyContext, commandId: string): Promise<SubmittedCommand> {
  const validation = await readKeyOfCommand(context.store, context.companyId, commandId);
  if (validation === undefined) return 'NOTHING_TO_DO';
  return submitKeyCommand(context, validation, { again: true });
}

/**
 * Gives a key's registration or removal to its bank, and applies the response. With `again` the bank may have it
 * already: a lookup comes first, and of two concurrent runs only one continues. It stays due until the bank has
 * answered.
 */
export async function submitKeyCommand(
  context: KeyContext,
  validation: KeyValidation,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, at } = context;
  if (validation.askedAt === undefined) return 'NOTHING_TO_DO';
  // Written before the bank call: after a crash the next lookup comes later than the bank's reads lag.
  if (again && !(await store.writeOne(keyCommandTaken(validation, at))).ok) return 'NOTHING_TO_DO';
  return isBeingRemoved(validation)
    ? submitRemoval(context, validation, again)
    : submitRegistration(context, validation, again);
}

async function submitRegistration(
  context: KeyContext,
  validation: KeyValidation,
  again: boolean,
): Promise<SubmittedCommand> {
  const { bank, companyId, at } = context;
  const order = orderOf(validation);
  const { askedAt, connection } = validation;
  const isOver = askedAt !== undefined && at >= plusSeconds(askedAt, registrationSeconds);
  const response =
    again && isOver
      ? await bank.keys.register.find(order, { companyId, connection, at })
      : await submitOnce(bank.keys.register, order, ...(await optionsOf(context, validation, again)));
  const answer = answerOf(order, response);
  if (answer === 'PENDING') return 'ACCEPTED';
  if (answer === undefined) return 'UNKNOWN';
  await applyAnswer(context, validation, answer);
  return answer.outcome === 'REFUSED' ? 'REFUSED' : 'ENDED';
}

async function submitRemoval(
  context: KeyContext,
  validation: KeyValidation,
  again: boolean,
): Promise<SubmittedCommand> {
  const { bank } = context;
  const { key } = validation;
  if (key === undefined) throw new CorruptItem('A confirmed key has no text.');
  const order = { ...orderOf(validation), key };
  const response = await submitOnce(bank.keys.remove, order, ...(await optionsOf(context, validation, again)));
  switch (response.outcome) {
    case 'DONE':
      await applyRemoval(context, validation);
      return 'ENDED';
    case 'REFUSED':
      await endRemoval(context, validation);
      return 'REFUSED';
    case 'UNKNOWN':
    case 'NOT_NOW':
      return 'UNKNOWN';
  }
}

async function optionsOf(context: KeyContext, { id: reference, connection }: KeyValidation, again: boolean) {
  const { companyId, at, remainingMs = () => Infinity } = context;
  const repeated = again && (await repeating(context, 'key', { reference, connection }));
  return [
    { companyId, connection, at },
    { again: repeated, whenUnknown: 'ASK', remainingMs },
  ] as const;
}

function orderOf({ id: reference, accountId, type, key }: KeyValidation): KeyOrder {
  return { reference, accountId, type, ...pick({ key }, 'key') };
}

/** Returns the answer in a response; undefined while there is none, or when it is about another key. */
function answerOf(
  order: KeyOrder,
  response: CommandOutcome<KeyState> | FoundCommand<KeyState>,
): RegistrationAnswer | 'PENDING' | undefined {
  switch (response.outcome) {
    case 'DONE': {
      if (response.state.status === 'PENDING') return 'PENDING';
      const registered = recognisePixKey(response.state.key);
      const isOrdered = registered?.type === order.type && (order.key ?? registered.key) === registered.key;
      return isOrdered ? { outcome: 'CONFIRMED', key: registered.key } : undefined;
    }
    case 'REFUSED': {
      const { code } = response;
      return { outcome: 'REFUSED', refusal: keyRefusalCodes.find((known) => known === code) ?? 'REFUSED' };
    }
    // Only of a lookup after the registration's time: the bank does not have it, and is not asked again.
    case 'NEVER_SEEN':
      return { outcome: 'REFUSED', refusal: 'NOT_IN_TIME' };
    case 'UNKNOWN':
    case 'NOT_NOW':
      return undefined;
  }
}

async function applyAnswer(context: KeyContext, name: KeyValidation, answer: RegistrationAnswer): Promise<void> {
  const hash = await readHash(context.store);
  await commitTransition<Registration, KeyValidation>(
    context,
    () => requireRegistration(context.store, name),
    (found) => {
      const { validation: before } = found;
      if (before.status !== 'REGISTERING') return { unchanged: before };
      const after = answeredRegistration({ ...found, validation: nextVersion(before) }, answer, context.at);
      const { validation: result } = after;
      return { writes: answerWrites(hash, before, after), result, reached: [['KEY_VALIDATION', result.status]] };
    },
  );
}

/** Leaves a key as it is whose removal its bank has refused. */
async function endRemoval(context: KeyContext, name: KeyValidation): Promise<void> {
  await commitTransition<Registration, KeyValidation>(
    context,
    () => requireRegistration(context.store, name),
    ({ validation: before }) => {
      if (!isBeingRemoved(before)) return { unchanged: before };
      const { askedAt: _asked, removedBy: _refused, ...result } = nextVersion(before);
      return { writes: [keyValidationUpdate(result)], result };
    },
  );
}
