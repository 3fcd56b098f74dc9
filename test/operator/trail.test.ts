import { describe, expect, it } from 'vitest';
import { commands } from '#infra/operator/commands.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { memoryStore } from '../support/memory-store.ts';
import { at, testOperator } from './terminal.ts';

const companyId = '00000000-0000-4000-8000-000000000001';
const by = 'arn:aws:sts::111111111111:assumed-role/Operator/ana';
type Entry = Readonly<Record<string, unknown>>;

async function trailOf(operator: ReturnType<typeof testOperator>, ...args: readonly string[]) {
  return (await operator.json('trail', ...args)) as unknown as readonly Entry[];
}

describe('the trail of commands', () => {
  it('says when, who, what and how it ended, of commands that changed something and of refused ones', async () => {
    const operator = testOperator('aws');
    await operator.run('company:create', '--name', 'Loja', '--company-id', companyId);
    await operator.run('company:create', '--name', 'Loja', '--company-id', companyId);
    await operator.run('company:list');
    const options = { name: 'Loja', companyId };
    const ids = { companyId, organizationId: expect.any(String) as string };
    const entries = await trailOf(operator);
    expect(entries.toSorted((a, b) => String(a['outcome']).localeCompare(String(b['outcome'])))).toEqual([
      { at, by, command: 'company:create', outcome: 'DONE', options, ids },
      { at, by, command: 'company:create', outcome: 'FAILED', options },
    ]);
  });

  it('finds the creation of a company by the id that it got, beside which no secret is kept', async () => {
    const operator = testOperator('local');
    const made = (await operator.json('company:create', '--name', 'Loja')) as { readonly companyId: string };
    await operator.run('company:create', '--name', 'Other');
    const entries = await trailOf(operator, '--company', made.companyId);
    expect(entries).toMatchObject([{ command: 'company:create', ids: { companyId: made.companyId } }]);
    expect(JSON.stringify(entries)).not.toMatch(/whsec_|ecret/u);
  });

  it('shows no personal data of a holder', async () => {
    const store = memoryStore();
    const operator = testOperator('local', store);
    await operator.run('company:create', '--name', 'Loja', '--company-id', companyId);
    const holder = ['--name', 'Maria Souza', '--document', '52998224725', '--email', 'maria@example.com'];
    const { code } = await operator.run(
      'account:create',
      '--company',
      companyId,
      ...holder,
      '--phone',
      '+5511987654321',
    );
    expect(code).toBe(0);
    const entries = await trailOf(operator, '--company', companyId);
    const created = entries.find(({ command }) => command === 'account:create');
    expect(created).toMatchObject({ command: 'account:create', options: { fullName: '…', email: '…' } });
    const trail = JSON.stringify(store.all().filter(({ entity }) => entity === 'OPERATOR_COMMAND'));
    expect(trail).not.toMatch(/Maria|52998224725|maria@|987654321/u);
  });

  it('has no value of an option that names a person, whatever command has it', () => {
    const known = ['fullName', 'document', 'email', 'phone', 'chave'];
    const abouts = Object.values(commands).flatMap(({ options }) => Object.entries(options));
    const persons = abouts.filter(([, { about }]) =>
      /holder\b(?!.*(?:type|TYPE))|CPF or CNPJ, with|PIX key of/iu.test(about),
    );
    expect(new Set(persons.map(([name]) => name)).isSubsetOf(new Set(known))).toBe(true);
    expect(persons.length).toBeGreaterThanOrEqual(4);
  });

  it('has the entry of a command whose process died, as one that has begun', async () => {
    const memory = memoryStore();
    let calls = 0;
    const dying = faultyStore(memory, { nextFault: () => ((calls += 1) > 1 ? 'before' : 'none') });
    const { code } = await testOperator('local', dying).run('company:create', '--name', 'Loja');
    expect(code).toBe(1);
    expect(await trailOf(testOperator('local', memory))).toMatchObject([
      { command: 'company:create', outcome: 'BEGUN' },
    ]);
  });

  it('lets no command run that it cannot record', async () => {
    const memory = memoryStore();
    let calls = 0;
    const refusing = faultyStore(memory, { nextFault: () => ((calls += 1) === 1 ? 'before' : 'none') });
    const { code, err } = await testOperator('local', refusing).run('company:create', '--name', 'Loja');
    expect([code, err]).toEqual([1, expect.stringContaining('The table does not respond') as string]);
    expect(memory.all()).toEqual([]);
    expect(new StoreUnavailable('x').name).toBe('StoreUnavailable');
  });

  it('is read from a day on, over months, of one company or all', async () => {
    const operator = testOperator('aws');
    await operator.run('company:create', '--name', 'Loja', '--company-id', companyId);
    await operator.run('company:create', '--name', 'Outra');
    expect(await trailOf(operator, '--from', '2025-10-31')).toHaveLength(2);
    expect(await trailOf(operator, '--from', '2025-10-31', '--company', companyId)).toHaveLength(1);
    expect(await trailOf(operator, '--from', '2026-01-16')).toEqual([]);
  });

  it('has every command but those that only look, and those of a table that may take no entry', () => {
    const unrecorded = Object.keys(commands).filter((name) => commands[name]?.isRecorded === false);
    expect(unrecorded.toSorted()).toEqual(
      [
        ...['status', 'health', 'trail', 'reconcile', 'preflight', 'company:list', 'account:list', 'webhook:endpoints'],
        ...['bank:check', 'bank:list', 'bank:unmatched', 'bank:unanswered', 'migrate'],
        ...['restore:bring', 'restore:compare', 'restore:freeze', 'restore:switch'],
      ].toSorted(),
    );
  });
});
