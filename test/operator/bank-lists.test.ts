import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { control, openLocalBank } from '../support/api-pix/client.ts';
import { connectCompany } from './connected-company.ts';
import { at, testOperator } from './terminal.ts';

/* `bank:read-lists` against the bank of this machine over mTLS, with two connected companies. */

let open: Awaited<ReturnType<typeof openLocalBank>>;
beforeAll(async () => {
  open = await openLocalBank();
  // Its payments are of the hour before the operator's.
  await control(open.bank, 'clock', { now: plusSeconds(at, -1800) });
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
});

test('the lists of every connected bank are read to the end, and what they bring moves', async () => {
  const operator = testOperator();
  const logged: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => logged.push(String(text)) > 0);
  const { companyId } = await connectCompany(operator, open.bank, open.bank.client, open.dir);
  await operator.json('company:create', '--name', 'Without a bank');
  const chave = open.bank.client.accounts[0]?.chave;
  await control(open.bank, 'pay', { chave, valor: '12.34' });
  const read = async (...more: readonly string[]) => {
    const { code, out } = await operator.run('bank:read-lists', ...more, '--json');
    return { code, read: JSON.parse(out) as unknown };
  };
  const nothing = { failed: 0, pending: 0, counts: { MissedByCallback: 0 } };
  expect(await read()).toEqual({ code: 0, read: nothing });
  const { out } = await operator.run('bank:unmatched', '--company', companyId);
  expect(out).toContain('12.34');
  expect(await read('--daily')).toEqual({ code: 0, read: nothing });
  await control(open.bank, 'fault', { fault: 'ERROR_BEFORE', path: '/v2/pix' });
  expect(await read()).toEqual({ code: 1, read: { ...nothing, failed: 1 } });
  expect((await operator.run('bank:read-lists')).out).toMatch(/failed +\d\npending +0\ncounts +MissedByCallback 0/u);
  vi.restoreAllMocks();
});
