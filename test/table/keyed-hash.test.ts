import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountKeyInserts } from '#shared/accounts/store.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { readHash, readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';
import { accountElsewhere, companyOne, holder, payInBody, payoutBody, receiver } from '../support/bank-world.ts';
import { email, keyWorld, phone } from '../support/key-world.ts';
import { sampleAccount } from '../support/listings.ts';
import { memoryStore } from '../support/memory-store.ts';
import { fc } from '../support/properties.ts';
import { onEveryStore } from '../support/stores.ts';
import { refused } from '../support/refusals.ts';
import { each } from '../support/each.ts';

/* Data events of CloudTrail and Contributor Insights show keys of items, of indexes too, and nothing else of them. */

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine('silent-keys');
});
afterAll(() => engine.stop());

it('the keys of all items contain no personal data after orders, PIX key validations and codes', async () => {
  const world = keyWorld({ wrap: () => dynamoStore({ client: engine.client, tableName: engine.tableName }) });
  const account = await world.openAccount(100_000);
  const [mail, mobile] = [email('maria.souza@example.com'), phone('+5511987650001')];
  for (const key of [mail, mobile]) {
    const { validationId, code } = await world.begun(key);
    expect((await world.resend(validationId)).status).toBe(200);
    refused(await world.confirm(validationId, code), 409);
    await world.sendOf({ accountId: account.id, validationId, number: 2 });
    const sent = world.sent.at(-1)?.code ?? '';
    expect((await world.confirm(validationId, sent)).status).toBe(200);
  }
  const targets = [
    { pixKey: receiver.document.number },
    { pixKey: 'somebody@example.com' },
    { pixKey: '+5511912345678' },
  ];
  const responses = [await world.createPayIn({ companyId: account.companyId, key: 'in', body: payInBody() })];
  for (const paymentData of targets)
    responses.push(
      await world.createPayout({
        ...{ companyId: account.companyId, key: JSON.stringify(responses.length) },
        body: payoutBody({ paymentData }),
      }),
    );
  responses.push(
    await world.createPayout({
      ...{ companyId: account.companyId, key: 'elsewhere' },
      body: payoutBody({ receiver, paymentData: { bankAccount: accountElsewhere } }),
    }),
  );
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);

  const { Items: items = [] } = await engine.client.send(new ScanCommand({ TableName: engine.tableName }));
  const keysOf = (item: object) => Object.entries(item).filter(([name]) => /^(?:GSI\d)?[PS]K$/u.test(name));
  const keys = items.flatMap(keysOf).map(([, key]) => String(key));
  expect(keys.length).toBeGreaterThan(60);
  const personal = [
    ...[account.fullName, account.email, account.phone, holder.document.number],
    ...[account.bankAccountData.accountNumber, mail.key, mobile.key],
    ...[receiver.name, receiver.document.number, accountElsewhere.accountNumber, 'somebody@', '912345678', '@'],
  ];
  expect(keys.filter((key) => personal.some((text) => key.toLowerCase().includes(text.toLowerCase())))).toEqual([]);
});

onEveryStore((store) => {
  it('one hash secret is created by concurrent callers, and every reader has the same hashes', async () => {
    const readers = Array.from({ length: 8 }, () => ({ ...store() }));
    const createdHashes = await Promise.all(readers.map((one) => readOrMakeHash(one)));
    const again = await readHash({ ...store() });
    const hashes = [...createdHashes, again].map((hash) => hash('scope', 'EMAIL', 'maria@example.com'));
    expect(new Set(hashes).size).toBe(1);
    expect(hashes[0]).toMatch(/^v1\.[\w-]{22}$/u);
  });
});

it('hashes differ by scope, type and value, however they are cut', async () => {
  const hash = await readOrMakeHash(memoryStore());
  const parts = [
    ['one', 'EMAIL', 'a'],
    ['two', 'EMAIL', 'a'],
    ['one', 'PHONE', 'a'],
    ['one', 'EMAIL', 'b'],
    ['one', 'EMAILa', ''],
    ['oneEMAIL', '', 'a'],
  ] as const;
  expect(new Set(parts.map(([scope, type, value]) => hash(scope, type, value))).size).toBe(parts.length);
});

it('the lookup keys of an account contain none of its email, phone, document and number, whatever their values', async () => {
  const hash = await readOrMakeHash(memoryStore());
  const text = fc.string({ minLength: 3, maxLength: 40, unit: 'grapheme' }).filter((one) => /[^\s0-]/u.test(one));
  const persons = fc.record({ email: text, phone: text, number: text, accountNumber: text });
  fc.assert(
    fc.property(persons, ({ email: mail, phone: line, number, accountNumber }) => {
      const account = sampleAccount({ companyId: randomUUID(), email: mail, phone: line });
      const { companyId, createdAt, id } = account;
      const written = accountKeyInserts(hash, {
        ...account,
        document: { type: 'PASSPORT', number },
        bankAccountData: { ...account.bankAccountData, accountNumber },
      });
      for (const { put } of each(written)) {
        expect(put.SK).toBe(`HOLDER#${createdAt}#${id}`);
        expect(put.PK).toMatch(new RegExp(`^C#${companyId}#KEY#v1\\.[\\w-]{22}$`, 'u'));
      }
    }),
  );
});

it('requests that need the hash secret answer 5xx and write no item when it is missing', async () => {
  const world = keyWorld();
  await world.openAccount(100_000);
  const { validationId, code } = await world.begun(email('maria@example.com'));
  const before = world.items().length;
  const without: Store = {
    ...world.store,
    read: async (wanted) =>
      (await world.store.read(wanted)).map((item) => (item?.['entity'] === 'HASH_SECRET' ? undefined : item)),
  };
  const blind = keyWorld({ wrap: () => without });
  const responses = [
    await blind.create(email('pedro@example.com')),
    await blind.resend(validationId),
    await blind.confirm(validationId, code),
    await blind.createPayout({ companyId: companyOne, key: 'k', body: payoutBody() }),
  ];
  for (const { status } of responses) expect(status).toBeGreaterThanOrEqual(500);
  expect(world.items()).toHaveLength(before);
});
