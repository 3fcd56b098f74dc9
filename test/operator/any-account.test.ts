import { expect, it } from 'vitest';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { listEntries } from '#functions/accounts/list-entries/handler.ts';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { listAccounts } from '#functions/accounts/list/handler.ts';
import { asciiText } from '#shared/core/ascii.ts';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import type { Answer } from '../support/api.ts';
import { caller } from '../support/api.ts';
import { payInBody, payoutBody } from '../support/bank-world.ts';
import { fc } from '../support/properties.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { testOperator } from './terminal.ts';

const visible = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const names = fc.oneof(
  visible,
  visible.map((text) => `${text} Ltda`),
  fc.constantFrom(
    '北京',
    'Øresund',
    'Ł',
    'ß',
    '東京 3',
    '☕☕☕',
    'ı'.repeat(140),
    'ﷺ',
    '12345',
    `${'ß'.repeat(24)} Ltda`,
    '---',
  ),
);
const documents = fc.oneof(
  fc.constantFrom(['52998224725'], ['11.444.777/0001-61'], ['12.ABC.345/01DE-35']),
  fc
    .tuple(fc.stringMatching(/^[\w./-]{1,40}$/u), fc.constantFrom('PASSPORT', 'NATIONAL_ID', 'RUC'))
    .map(([number, type]) => [number, '--document-type', type]),
);
const options = fc.record(
  {
    'holder-type': fc.constantFrom('INDIVIDUAL', 'ORGANIZATION'),
    ispb: fc.oneof(fc.stringMatching(/^[0-9A-Z]{8}$/u), fc.constant('99999004')),
    branch: fc.stringMatching(/^[0-9]{1,4}$/u),
    'account-number': fc.stringMatching(/^[0-9A-Z]{1,20}$/u),
    'account-type': fc.constantFrom('SAVINGS_ACCOUNT', 'CHECKING_ACCOUNT', 'PAYMENT_ACCOUNT'),
    'pix-limit': fc.constantFrom('0.01', '20.50', '9999999999.99'),
    'opening-balance': fc.constantFrom('0.01', '1000', '9999999999.99'),
    status: fc.constantFrom('ACTIVE', 'INACTIVE', 'CLOSED'),
  },
  { requiredKeys: [] },
);

/** The statuses of every endpoint that writes or shows the account. */
async function askEverything(world: ReturnType<typeof subscriptionWorld>, companyId: string, accountId: string) {
  const accountParams = { accountId };
  const amount = { currency: 'BRL', value: '0.01' };
  const accounts = caller(ListAccounts, listAccounts, world.deps);
  const entries = caller(ListEntries, listEntries, world.deps);
  const payIn = await world.createPayIn({
    companyId,
    key: 'p',
    body: payInBody({ ...accountParams, externalId: 'p' }),
  });
  const payInId = (payIn.body as { readonly id?: string }).id;
  const responses: Answer[] = [
    payIn,
    await world.create({ companyId, body: subscriptionBody(accountParams) }),
    await world.create({ companyId, body: compositeBody(accountParams) }),
    await world.createPayout({ companyId, key: 'o', body: payoutBody({ ...accountParams, amount, externalId: 'o' }) }),
    await accounts({ companyId }),
    await entries({ companyId, params: accountParams }),
    await world.getBalance({ companyId, params: accountParams }),
    ...(payInId === undefined ? [] : [await world.force(payInId, 'PAID', companyId)]),
  ];
  return { payIn, answers: responses };
}

it('an account that the operator may open is shown, charges and pays without a fault of the service, whatever its options', async () => {
  let opened = 0;
  const all = fc.tuple(names, documents, options);
  await fc.assert(
    fc.asyncProperty(all, async ([name, document, more]) => {
      const world = subscriptionWorld();
      const { run, json } = testOperator('local', world.store);
      const { companyId = '' } = await json('company:create', '--name', 'A');
      const rest = Object.entries(more).flatMap(([flag, value]) => [`--${flag}`, value]);
      const holder = ['--email', 'a@example.com', '--phone', '+5511900000102', `--name=${name}`, '--document'];
      const { code, out } = await run(
        'account:create',
        '--company',
        companyId,
        ...holder,
        ...document,
        ...rest,
        '--json',
      );
      expect([0, 1, 2]).toContain(code);
      // 2: a name without a Latin letter, a text with an invisible character; 1: money in a closed account.
      if (code !== 0) return;
      opened += 1;
      const { payIn, answers: responses } = await askEverything(
        world,
        companyId,
        (JSON.parse(out) as { id: string }).id,
      );
      expect(responses.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      const { qrcodeData } = payIn.body as { readonly qrcodeData?: string };
      if (qrcodeData === undefined) return;
      expect(parseBrCode(qrcodeData)).toMatchObject({ kind: 'DYNAMIC' });
      expect(qrcodeData).toContain(asciiText(name).slice(0, 25).trimEnd());
    }),
    { numRuns: 150 },
  );
  expect(opened).toBeGreaterThan(50);
});

it.each(['北京', '☕☕', '12345', '---'])('an account with the name %s is refused as a usage error', async (name) => {
  const { run, json } = testOperator();
  const { companyId = '' } = await json('company:create', '--name', '北京');
  const holder = ['--email', 'a@example.com', '--phone', '+5511900000102', '--document', '52998224725'];
  const { code, err } = await run('account:create', '--company', companyId, ...holder, `--name=${name}`);
  expect(code).toBe(2);
  expect(err).toContain('Latin letter');
});
