import { GetKeyCode } from '#functions/order-tools/get-key-code/contract.ts';
import { getKeyCode } from '#functions/order-tools/get-key-code/handler.ts';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { confirmKey } from '#functions/pix-keys/confirm/handler.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { createKey } from '#functions/pix-keys/create/handler.ts';
import { ListKeys } from '#functions/pix-keys/list/contract.ts';
import { listKeys } from '#functions/pix-keys/list/handler.ts';
import { RemoveKey } from '#functions/pix-keys/remove/contract.ts';
import { removeKey } from '#functions/pix-keys/remove/handler.ts';
import { ResendKeyCode } from '#functions/pix-keys/resend/contract.ts';
import { resendKeyCode } from '#functions/pix-keys/resend/handler.ts';
import type { SendRun } from '#shared/pix-keys/codes/send.ts';
import { sendDueCode } from '#shared/pix-keys/codes/send.ts';
import { writtenCodes } from '#shared/pix-keys/codes/written.ts';
import { workJobs } from '#shared/platform/jobs/due-worker.ts';
import { runCounted, workFamily } from './run-jobs.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CodeName } from '#shared/pix-keys/model.ts';
import type { CodeMessage, SendResult } from '#shared/pix-keys/codes/sender.ts';
import { keepSentCode } from '#shared/sandbox/build.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Answer } from './api.ts';
import { caller } from './api.ts';
import { account, bankWorld, companyOne } from './bank-world.ts';

export type ValidationResponse = { readonly validationId: string; readonly status: string; readonly expiresAt: string };
type Whose = { readonly companyId?: string; readonly accountId?: string };
type Asked = Whose & { readonly key?: string };

/** PIX keys of accounts on a store of their own: the endpoints as a caller gets them, and the sender of the codes. */
export function keyWorld(options: { readonly wrap?: (memory: Store) => Store; readonly seed?: string } = {}) {
  const world = bankWorld(options);
  const { deps, store, clock, ids, dueRun } = world;
  const sent: CodeMessage[] = [];
  /** What the sender answers to the next messages; `SENT` when nothing is left. */
  const responses: SendResult[] = [];
  const failures: string[] = [];
  const run: SendRun = {
    ...dueRun,
    store,
    now: () => clock.real ?? clock.now,
    realNow: () => clock.real ?? clock.now,
    companyNow: () => Promise.resolve(clock.now),
    send: (message) => {
      const response = responses.shift() ?? { outcome: 'SENT' };
      if (response.outcome === 'SENT') sent.push(message);
      return Promise.resolve(response);
    },
    keepSentCode,
    failed: (_where, error) => {
      failures.push(error instanceof Error ? `${error.name}: ${error.message}` : 'unknown');
    },
  };
  /** What the relay and the sender do with records of the stream. */
  const sendWritten = async (records: readonly unknown[]) => {
    const { jobs, malformed } = writtenCodes(records, run.now());
    const { counts, failed } = await workJobs(run, jobs, (_run, job) => sendDueCode(run, job));
    return { counts: counts.KEY_CODE, failed: failed + malformed };
  };
  const calls = {
    create: caller(CreateKey, createKey, deps),
    resend: caller(ResendKeyCode, resendKeyCode, deps),
    confirm: caller(ConfirmKey, confirmKey, deps),
    remove: caller(RemoveKey, removeKey, deps),
    list: caller(ListKeys, listKeys, deps),
    code: caller(GetKeyCode, getKeyCode, deps),
  };
  let count = 0;
  const asked = ({ companyId = companyOne, accountId = account, key = ids.uuid() }: Asked) => ({
    companyId,
    params: { accountId },
    key,
  });
  const create = (body: object = email(`holder-${(count += 1)}@example.com`), by: Asked = {}): Promise<Answer> =>
    calls.create({ ...asked(by), body });
  const resend = (validationId: string, by: Asked = {}): Promise<Answer> =>
    calls.resend({ ...asked(by), body: { validationId } });
  const confirm = (validationId: string, code: string, by: Asked = {}): Promise<Answer> =>
    calls.confirm({ ...asked(by), body: { validationId, code } });
  return {
    ...world,
    run,
    sent,
    answers: responses,
    failures,
    create,
    resend,
    confirm,
    remove: (validationId: string, by: Whose = {}) => {
      const { companyId, params } = asked(by);
      return calls.remove({ companyId, params: { ...params, validationId } });
    },
    /** The record of a key, as the list of its account shows it. */
    record: async (validationId: string, by: Whose = {}) => {
      const { companyId, params } = asked(by);
      const { body } = await calls.list({ companyId, params, query: { limit: '100' } });
      const { data } = body as { readonly data: readonly { readonly validationId: string }[] };
      return data.find((key) => key.validationId === validationId);
    },
    /** Submits or looks up what waits for a bank. */
    runCommands: () => runCounted({ ...deps, ...dueRun, bank: { ...world.bank, ...deps.bank } }, [['KEY_COMMAND']]),
    list: (query: Record<string, string> = {}, by: Whose = {}) => {
      const { companyId, params } = asked(by);
      return calls.list({ companyId, params, query });
    },
    keptCode: (validationId: string, by: Whose = {}) => {
      const { companyId, params } = asked(by);
      return calls.code({ companyId, params: { ...params, validationId } });
    },
    /** Sends what the stream says was inserted. */
    sendInserted: () => {
      const inserts = world.items('KEY_CODE').map(({ PK, SK }) => ({
        eventName: 'INSERT',
        dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } } },
      }));
      return sendWritten(inserts);
    },
    /** Sends a code when the stream says that it was inserted. */
    sendOf: (code: CodeName, companyId = companyOne) => sendWritten([insertOf({ companyId, ...code })]),
    /** What the minute's run does, `later` seconds from now. */
    sendDue: (laterSeconds = 61) => {
      const due = { ...run, now: () => plusSeconds(run.realNow(), laterSeconds) };
      return workFamily(due, 'KEY_CODES', (_run, job) => sendDueCode(due, job));
    },
    /** A company as onboarding makes it, for cursors. */
    openCompany: async (companyId: string) => {
      const company = { companyId, organizationId: ids.uuid(), name: 'Empresa', createdAt: clock.now };
      await store.write([{ put: companyItem({ ...company, cursorKey: newCursorKey() }) }], ids.uuid());
    },
    /** A validation whose code was sent, with the code. */
    begun: async (body?: object, by: Whose = {}): Promise<ValidationResponse & { readonly code: string }> => {
      const response = await create(body, by);
      if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
      const validation = response.body as ValidationResponse;
      const { companyId = companyOne, accountId = account } = by;
      const insert = { companyId, accountId, validationId: validation.validationId, number: 1 };
      const before = sent.length;
      await sendWritten([insertOf(insert)]);
      return { ...validation, code: sent[before]?.code ?? 'none' };
    },
  };
}

export function email(key: string): { readonly type: 'EMAIL'; readonly key: string } {
  return { type: 'EMAIL', key };
}

export function phone(key: string): { readonly type: 'PHONE'; readonly key: string } {
  return { type: 'PHONE', key };
}

/** Six digits that are not the code. */
export function otherThan(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0');
}

/** The record of a code’s insert in the stream. */
function insertOf(code: {
  readonly companyId: string;
  readonly accountId: string;
  readonly validationId: string;
  readonly number: number;
}): object {
  const { PK, SK } = keys.keyCode(code.companyId, code.accountId, code.validationId, code.number);
  return { eventName: 'INSERT', dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } } } };
}
