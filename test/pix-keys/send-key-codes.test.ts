import { beforeEach, describe, expect, it } from 'vitest';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { sendKeyCode } from '#shared/pix-keys/codes/send.ts';
import { sendOnlyTo } from '#shared/pix-keys/codes/send.ts';
import { writtenCodes } from '#shared/pix-keys/codes/written.ts';
import { outbox } from '#shared/sandbox/build.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';

import { readRequest } from '#shared/platform/http/read-request.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { account, companyOne, noon } from '#test/support/bank-world.ts';
import { eventOf } from '#test/support/edge.ts';
import type { ValidationResponse } from '#test/support/key-world.ts';
import { email, keyWorld } from '#test/support/key-world.ts';
import { refused } from '#test/support/refusals.ts';

const maria = email('maria@example.com');
let world: ReturnType<typeof keyWorld>;
/** Fails the next write that this accepts, as a process that dies before it. */
let dies: ((write: Parameters<Store['writeOne']>[0]) => boolean) | undefined;
beforeEach(async () => {
  dies = undefined;
  world = keyWorld({
    wrap: (memory) => ({
      ...memory,
      writeOne: (write) => {
        if (dies?.(write) !== true) return memory.writeOne(write);
        dies = undefined;
        return Promise.reject(new StoreUnavailable('Gone.'));
      },
    }),
  });
  await world.openAccount(0);
});

const begin = async (): Promise<string> => ((await world.create(maria)).body as ValidationResponse).validationId;
const owed = (validationId: string, number = 1) => ({
  companyId: companyOne,
  accountId: account,
  validationId,
  number,
});
async function block(validationId: string): Promise<void> {
  for (let wrong = 0; wrong < 5; wrong += 1) await world.confirm(validationId, `00000${wrong}`);
}
const isEnd = (write: object): boolean => 'set' in write && JSON.stringify(write).includes('sentAt');

describe('a code that is owed', () => {
  it('is sent immediately by its insert, and not again by the minute’s run', async () => {
    await begin();
    expect(await world.sendInserted()).toMatchObject({ counts: { KeyCodesSent: 1 }, failed: 0 });
    expect((await world.sendDue()).jobs).toEqual([]);
    expect(world.sent).toHaveLength(1);
    expect(world.items('KEY_CODE')).toMatchObject([{ sentAt: noon }]);
    expect(world.items('KEY_CODE')[0]).not.toHaveProperty('GSI3PK');
  });

  it('is sent by the minute’s run when its insert was lost, not before a minute has passed', async () => {
    await begin();
    expect((await world.sendDue(59)).jobs).toEqual([]);
    const { count, jobs, failed } = await world.sendDue(60);
    expect([count('KeyCodesSent'), jobs.length, failed]).toEqual([1, 1, 0]);
    expect(world.sent).toMatchObject([maria]);
  });

  it('stays owed while it cannot be sent, and is the same code when it can', async () => {
    const validationId = await begin();
    world.answers.push({ outcome: 'FAILED', reason: 'TooManyRequestsException' });
    expect(await world.sendInserted()).toEqual({ counts: undefined, failed: 1 });
    expect(world.failures).toEqual(['CodeNotSent: TooManyRequestsException']);
    expect((await world.sendDue()).count('KeyCodesSent')).toBe(1);
    expect((await world.confirm(validationId, world.sent[0]?.code ?? '')).status).toBe(200);
  });

  it('is sent once more, the same, when the process dies after the sending: at least once', async () => {
    const validationId = await begin();
    dies = isEnd;
    expect((await world.sendInserted()).failed).toBe(1);
    await world.sendDue();
    expect(world.sent).toHaveLength(2);
    expect(world.sent[0]).toEqual(world.sent[1]);
    expect((await world.confirm(validationId, world.sent[0]?.code ?? '')).status).toBe(200);
    expect((await world.sendDue()).jobs).toEqual([]);
  });

  it('is not sent when the process dies before its hash is stored, and is sent by the next run', async () => {
    const validationId = await begin();
    dies = (write) => JSON.stringify(write).includes('codeHash');
    await world.sendInserted();
    expect(world.sent).toEqual([]);
    expect((await world.sendDue()).count('KeyCodesSent')).toBe(1);
    expect((await world.confirm(validationId, world.sent[0]?.code ?? '')).status).toBe(200);
  });

  it('is not sent again, and not shown by the tool, when its address was refused', async () => {
    const validationId = await begin();
    world.answers.push({ outcome: 'REFUSED', reason: 'BadRequestException' });
    expect((await world.sendInserted()).counts).toMatchObject({ KeyCodesRefused: 1, KeyCodesSent: 0 });
    expect((await world.sendDue()).jobs).toEqual([]);
    refused(await world.keptCode(validationId), 404);
  });
});

describe('a code for an address that the environment does not list', () => {
  it('is not sent and not counted as failed, but the tool shows it and it confirms the key', async () => {
    const { send } = world.run;
    const run = { ...world.run, send: sendOnlyTo(['pedro@example.com'], send, outbox) };
    const validationId = await begin();
    expect(await sendKeyCode(run, owed(validationId))).toBe('KEPT');
    expect(world.sent).toEqual([]);
    expect((await world.sendDue()).jobs).toEqual([]);
    const { code } = (await world.keptCode(validationId)).body as { code: string };
    expect((await world.confirm(validationId, code)).status).toBe(200);

    const { body } = await world.create(email('pedro@example.com'));
    expect(await sendKeyCode(run, owed((body as ValidationResponse).validationId))).toBe('SENT');
    expect(world.sent).toMatchObject([{ key: 'pedro@example.com' }]);
  });
});

describe('a stale code is never sent', () => {
  it('after a resend, which the minute finds beside it', async () => {
    const validationId = await begin();
    await world.resend(validationId);
    const { count } = await world.sendDue();
    expect([count('KeyCodesSent'), count('KeyCodesDropped')]).toEqual([1, 1]);
    expect(world.sent).toHaveLength(1);
    expect((await world.confirm(validationId, world.sent[0]?.code ?? '')).status).toBe(200);
  });

  it.each([
    ['a resend comes', (validationId: string) => world.resend(validationId), 'SENT'],
    ['wrong codes block its validation', (validationId: string) => block(validationId), 'NOTHING_TO_DO'],
  ])('when %s between the reading and the sending', async (_what, change, next) => {
    const validationId = await begin();
    const { store } = world;
    let first = true;
    const interrupted: Store = {
      ...store,
      writeOne: async (write) => {
        if (first && JSON.stringify(write).includes('codeHash')) {
          first = false;
          await change(validationId);
        }
        return store.writeOne(write);
      },
    };
    expect(await sendKeyCode({ ...world.run, store: interrupted }, owed(validationId))).toBe('DROPPED');
    expect(world.sent).toEqual([]);
    expect(await sendKeyCode(world.run, owed(validationId, 2))).toBe(next);
  });

  it('after it has expired by the time of its company, or the validation has ended', async () => {
    const validationId = await begin();
    world.clock.real = noon;
    world.clock.now = plusSeconds(noon, 1800);
    expect((await world.sendInserted()).counts?.KeyCodesDropped).toBe(1);
    world.clock.now = noon;
    await block(validationId);
    await block(await begin());
    expect((await world.sendInserted()).counts).toMatchObject({ KeyCodesDropped: 1, KeyCodesSent: 0 });
    expect(world.sent).toEqual([]);
  });

  it('and not shown: the tool shows the current code once it was sent', async () => {
    const validationId = await begin();
    refused(await world.keptCode(validationId), 404);
    await world.sendInserted();
    const [first] = world.sent;
    expect(await world.keptCode(validationId)).toMatchObject({
      status: 200,
      body: { code: first?.code, expiresAt: plusSeconds(noon, 1800) },
    });
    await world.resend(validationId);
    refused(await world.keptCode(validationId), 404);
    await world.sendInserted();
    expect((await world.keptCode(validationId)).body).toMatchObject({ code: world.sent[1]?.code });
  });
});

describe('the table', () => {
  it('holds no code outside of the outbox, nor a hash that could be tried without the secret', async () => {
    const { validationId, code } = await world.begun(maria);
    for (const given of ['999999', code]) await world.confirm(validationId, given);
    const { createHash } = await import('node:crypto');
    const stored = JSON.stringify(world.items().filter(({ entity }) => entity !== 'SENT_CODE'));
    for (const given of ['999999', code]) {
      expect(stored).not.toContain(`"${given}"`);
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
      const body = JSON.stringify({ validationId, code: given });
      const { fingerprint } = readRequest(ConfirmKey, eventOf({ headers, params: { accountId: account }, body }));
      const hashes = [createHash('sha256').update(given).digest(), Buffer.from(fingerprint, 'hex')];
      for (const form of ['hex', 'base64', 'base64url'] as const)
        for (const hash of hashes) expect(stored).not.toContain(hash.toString(form));
    }
    const [secret, ...more] = world.items('CODE_SECRET');
    expect(more).toEqual([]);
    expect(secret).toMatchObject(keys.codeSecret(companyOne));
  });
});

describe('inserts in the stream', () => {
  it('become jobs by their keys; everything else is passed over or counted', () => {
    const record = ({ PK, SK }: { PK: string; SK: string }, eventName = 'INSERT') => ({
      eventName,
      dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } } },
    });
    const inserted = keys.keyCode('c', 'a', 'v', 12);
    const written = [
      record(inserted),
      record(inserted, 'MODIFY'),
      record(keys.keyValidation('c', 'a', 'v')),
      record({ PK: inserted.PK, SK: 'CODE#x' }),
      record({ PK: 'C#c', SK: inserted.SK }),
      {},
    ];
    const job = { kind: 'KEY_CODE', companyId: 'c', id: 'a#v#12', dueAt: noon };
    expect(writtenCodes(written, noon)).toEqual({ jobs: [job], malformed: 2 });
  });
});
