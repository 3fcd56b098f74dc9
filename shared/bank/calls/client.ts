import { callsMemory } from './bank-calls.ts';
import type { CallKind, Met } from './bank-calls.ts';
import type { BankClient, BankRequest, CallOutcome } from './bank-client.ts';
import type { Gate } from './gate.ts';
import { gate } from './gate.ts';
import { unavailable } from './outcomes.ts';
import type { Exchange } from './response.ts';
import { accessErrorOf } from './response.ts';
import type { BankConnection } from '../connection.ts';
import type { OpenTools } from '../dialects/manifest.ts';
import { keptSecret, SecretUnavailable } from '../secret.ts';

/** Reads the secret of a connection. `isStale`: the bank refused the known one. @throws SecretUnavailable */
export type ReadSecret<Secret> = (isStale: boolean) => Promise<Secret>;

/** What a client of any dialect needs of its process and its connection. */
export type ClientTools<Secret> = {
  readonly secret: ReadSecret<Secret>;
  readonly gate: Gate;
  /** Called when a person must act: the bank refuses the secret, the certificate, the authority or a scope. */
  readonly refused: (cause: string, operation: string) => void;
  /** Stores whether the bank refused or carried out an operation. Never throws. */
  readonly met?: (operation: string, met: Met) => Promise<void>;
  readonly misled: BankClient['misled'];
  readonly notKnown: BankClient['notKnown'];
};

/** How a dialect sends its calls and reads their replies. */
export type DialectCalls = Pick<BankClient, 'authorize' | 'certificateExpiry'> & {
  /** Sends a call. @throws SecretUnavailable when nothing was sent */
  readonly send: (request: BankRequest) => Promise<Exchange>;
  readonly judge: (exchange: Exchange, kind: 'COMMAND' | 'QUESTION') => CallOutcome;
  /** Whether the bank responded that the resource of a question does not exist. */
  readonly isMissing: (exchange: Exchange) => boolean;
  /** Whether the bank refused or allowed the operation; undefined when the response does not show it. */
  readonly metBy: (exchange: Exchange) => Met | undefined;
  /** Returns the operation of a call, without ids, keys and query. */
  readonly operationOf: (request: BankRequest) => string;
  /** Returns the kind of a call that the bank limits separately. */
  readonly kindOf: (request: BankRequest) => CallKind | undefined;
};

/** Returns the tools of a connection's client. @param parse reads the secret as the dialect has it */
export function clientTools<Secret>(
  { id, companyId, secret }: BankConnection,
  { store, now, fetchSecret, report, paused, writePause }: OpenTools,
  parse: (text: string) => Secret,
): ClientTools<Secret> {
  const calls = callsMemory(store, { companyId, id }, now);
  return {
    secret: keptSecret(secret, fetchSecret, parse),
    met: calls.met,
    refused: (cause, operation) => {
      report('BankAccessRefused', { companyId, connectionId: id, cause, operation });
    },
    misled: (fields) => {
      report('AnswersAboutOthers', { companyId, connectionId: id, fields });
    },
    notKnown: (field, value) => {
      report('BankValuesUnknown', { companyId, connectionId: id, field, value });
    },
    gate: gate({
      companyId,
      now,
      ofKind: calls.pauseOf,
      report: (name, where) => {
        report(name, { ...where, connectionId: id });
      },
      paused,
      write: writePause,
    }),
  };
}

/**
 * Creates the client of one connection. After the bank refused the access it reads the secret again, because an
 * operator may have replaced it. No error contains the secret.
 * @param callsOf of the dialect, by the secret that this client reads
 */
export function dialectClient<Secret>(
  { secret: read, gate, refused, met, misled, notKnown }: ClientTools<Secret>,
  callsOf: (secret: ReadSecret<Secret>) => DialectCalls,
): BankClient {
  let isSecretRefused = false;
  const { send, judge, isMissing, metBy, operationOf, kindOf, certificateExpiry, authorize } = callsOf((isStale) =>
    read(isStale || isSecretRefused),
  );
  const sendOrExplain = async (request: BankRequest): Promise<Exchange> => {
    try {
      return await send(request);
    } catch (error) {
      if (error instanceof SecretUnavailable) return { status: 'NOT_CONNECTED', cause: error.message, isAccess: true };
      throw error;
    }
  };
  const call = (request: BankRequest): Promise<Exchange> =>
    gate(async () => {
      const exchange = await sendOrExplain(request);
      const operation = operationOf(request);
      const accessError = accessErrorOf(exchange);
      if (accessError !== undefined) refused(accessError, operation);
      // A 403 is a missing scope: a new secret would not help.
      if (accessError !== undefined && exchange.status !== 403) isSecretRefused = true;
      else if (typeof exchange.status === 'number' && exchange.status < 500) isSecretRefused = false;
      const accessOutcome = metBy(exchange);
      if (accessOutcome !== undefined) await met?.(operation, accessOutcome);
      return exchange;
    }, kindOf(request));

  const question: BankClient['question'] = async (request) => {
    const exchange = await call(request);
    return isMissing(exchange) ? { is: 'MISSING' } : judge(exchange, 'QUESTION');
  };

  return {
    command: async (request) => judge(await call(request), 'COMMAND'),
    question,
    misled,
    notKnown,
    query: async (request) => {
      const callOutcome = await question(request);
      if (callOutcome.is === 'MISSING') return undefined;
      if (callOutcome.is === 'OK') return callOutcome.body;
      throw unavailable(callOutcome);
    },
    certificateExpiry,
    authorize,
  };
}
