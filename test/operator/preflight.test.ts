import { NoSuchKey } from '@aws-sdk/client-s3';
import { NotFoundException } from '@aws-sdk/client-sesv2';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import { openAuthority } from '@banking-order/fake-bank';
import { runCommandLine } from '#infra/operator/main.ts';
import { examineAccount } from '#infra/operator/preflight/preflight.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { Answers } from './recorded-account.ts';
import { denied, neverRaised, readyAnswers, recordedAccount } from './recorded-account.ts';

const account = '111111111111';
const region = 'sa-east-1';
const certificateArn = `arn:aws:acm:${region}:${account}:certificate/1`;
/** Production with every value set, and all that it may have. */
const prod: EnvironmentSettings = {
  ...(JSON.parse(
    JSON.stringify(environments.prod).replaceAll(/[\w.]+\.unset\.invalid|99999999/gu, 'banco.example'),
  ) as EnvironmentSettings),
  target: { region, account },
  alarms: { email: 'on-call@banco.example', monthlyDollars: { account: 1000, messages: 50 } },
  callbacks: { authorities: true, domain: { hostName: 'a.callbacks.banco.example', certificateArn } },
};
const ready: EnvironmentSettings = {
  ...prod,
  api: {
    ...prod.api,
    domain: { hostName: 'api.banco.example', certificateArn, clientAuthorities: 's3://partners/ca.pem' },
  },
};

let folder: string;
let truststore: string;
let leaf: string;
/** Far before the end of the authority, which the test makes. */
const now = () => new Date().toISOString();
const later = new Date(Date.now() + 400 * 86_400_000);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'preflight-'));
  const authority = openAuthority(join(folder, 'one'));
  truststore = readFileSync(authority.certificate.certFile, 'utf8');
  leaf = readFileSync(authority.issue('leaf', 'a.example').certFile, 'utf8');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const object = (text: string) => ({ Body: { transformToString: () => Promise.resolve(text) } });
const certificateOf = (change: object) => ({
  Certificate: {
    ...(readyAnswers['DescribeCertificateCommand'] as { Certificate: object }).Certificate,
    NotAfter: later,
    ...change,
  },
});
const answersWith = (change: Answers): Answers => ({
  ...readyAnswers,
  DescribeCertificateCommand: certificateOf({}),
  GetObjectCommand: object(truststore),
  ...change,
});

const examine = (change: Answers = {}, settings = ready) =>
  examineAccount(recordedAccount(answersWith(change)).clients, settings, region, now);
/** What is wrong, without the value of the rest. */
const errorsOf = async (change: Answers, settings = ready) =>
  (await examine(change, settings)).findings.filter(({ state }) => state === 'error');

describe('an account that is ready', () => {
  test('passes, with a line for every check', async () => {
    const { findings, ...rest } = await examine();
    expect(findings.filter(({ state }) => state === 'error')).toEqual([]);
    expect(rest).toEqual({ environment: 'prod', account, region, errors: 0 });
    expect(findings.map(({ check }) => check)).toEqual([
      'account',
      'Lambda: concurrent executions',
      'API Gateway: requests a second',
      'API Gateway: burst of requests',
      'DynamoDB: tables',
      'Lambda: unreserved concurrency',
      'DynamoDB: capacity units of a table',
      'API Gateway: role for CloudWatch logs',
      'SES: sandbox',
      'SES: sender',
      'SNS: sandbox of text messages',
      'SNS: spending on text messages',
      'ACM: certificate of api.domain',
      'ACM: certificate of callbacks.domain',
      'S3: truststore of api.domain',
      'S3: truststore of callbacks',
      'Budgets',
    ]);
    for (const { cure } of findings) expect(cure).toBeNull();
  });

  test('is examined with read commands only', async () => {
    const { clients, asked } = recordedAccount(answersWith({}));
    await examineAccount(clients, ready, region, now);
    expect(asked.length).toBeGreaterThan(15);
    for (const name of asked) expect(name).toMatch(/^(?:Get|Describe)\w+Command$/u);
  });

  test('is checked by the default of a quota when that was never raised', async () => {
    const defaults = { Quota: { Value: 10 } };
    const found = await errorsOf({ GetServiceQuotaCommand: neverRaised, GetAWSDefaultServiceQuotaCommand: defaults });
    expect(found[0]).toMatchObject({ check: 'Lambda: concurrent executions', says: '10, 1000 needed' });
  });

  test('has no certificates, truststores and senders to show where the settings name none', async () => {
    const { callbacks: _callbacks, ...bare } = environments.dev;
    const { senders: _senders, ...keys } = bare.keys;
    const { findings } = await examine({}, { ...bare, keys });
    expect(findings.filter(({ check }) => /^(?:ACM|S3|SES|SNS)/u.test(check))).toEqual([]);
  });
});

describe('an account that is not ready', () => {
  test.each<[string, Answers, RegExp, RegExp]>([
    [
      'Lambda: unreserved concurrency',
      {
        GetAccountSettingsCommand: {
          AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 649 },
        },
      },
      /^649 of 1000, 662 needed$/u,
      /delete-function-concurrency/u,
    ],
    [
      'DynamoDB: capacity units of a table',
      { DescribeLimitsCommand: { TableMaxReadCapacityUnits: 40_000, TableMaxWriteCapacityUnits: 10_000 } },
      /10000 write units, 40000 and 40000 needed/u,
      /maxWriteUnits/u,
    ],
    [
      'SES: sandbox',
      { GetAccountCommand: { ProductionAccessEnabled: false, SendingEnabled: true } },
      /ANYONE/u,
      /production-access-enabled.*step 4/u,
    ],
    [
      'SES: sandbox',
      { GetAccountCommand: { ProductionAccessEnabled: true, SendingEnabled: false } },
      /paused/u,
      /Amazon SES/u,
    ],
    [
      'SES: sender',
      { GetEmailIdentityCommand: new NotFoundException({ message: 'none', $metadata: {} }) },
      /not a verified identity/u,
      /create-email-identity --email-identity banco\.example/u,
    ],
    [
      'SNS: sandbox of text messages',
      { GetSMSSandboxAccountStatusCommand: { IsInSandbox: true } },
      /ANYONE/u,
      /AWS Support/u,
    ],
    // The limit of an account that never set one.
    ['SNS: spending on text messages', { GetSMSAttributesCommand: {} }, /^limit of 1 /u, /MonthlySpendLimit=50/u],
  ])('fails the check "%s" when AWS responds %j', async (check, change, message, cure) => {
    const found = await errorsOf(change);
    expect(found.map((one) => one.check)).toEqual([check]);
    expect(found[0]?.says).toMatch(message);
    expect(found[0]?.cure).toMatch(cure);
  });

  test('fails the checks of quotas, each with the command that asks for more', async () => {
    const found = await errorsOf({ GetServiceQuotaCommand: { Quota: { Value: 1 } } });
    expect(
      found.map(({ cure }) =>
        /--service-code (\w+) --quota-code (\S+) --desired-value (\d+)/u.exec(cure ?? '')?.slice(1),
      ),
    ).toEqual([
      ['lambda', 'L-B99A9384', '1000'],
      ['apigateway', 'L-8A5B8E43', '1000'],
      ['apigateway', 'L-CDF5615A', '2000'],
      ['dynamodb', 'L-F98FE922', '2'],
    ]);
  });

  test('passes the check of SES in the sandbox when the environment lists its recipients', async () => {
    const closed = {
      GetAccountCommand: { ProductionAccessEnabled: false },
      GetSMSSandboxAccountStatusCommand: { IsInSandbox: true },
    };
    const listed = {
      ...ready,
      keys: { ...ready.keys, senders: { emailFrom: 'a@banco.example', recipients: ['b@banco.example'] } },
    };
    expect(await errorsOf(closed, listed)).toEqual([]);
  });
});

describe('a certificate', () => {
  test.each([
    ['that is not issued yet', { Status: 'PENDING_VALIDATION' }, 'PENDING_VALIDATION', /DNS validation record/u],
    ['of another host', { DomainName: 'x.example', SubjectAlternativeNames: [] }, 'not for', /Request one for/u],
    [
      'of another wildcard name',
      { DomainName: '*.banco.example', SubjectAlternativeNames: ['api.banco.example'] },
      'a.callbacks',
      /Request/u,
    ],
    ['that expires within 30 days', { NotAfter: new Date(Date.now() + 29 * 86_400_000) }, 'expires on', /renew/u],
  ])('fails the check when it is one %s', async (_what, change, message, cure) => {
    const found = await errorsOf({ DescribeCertificateCommand: certificateOf(change) });
    expect(found.at(-1)).toMatchObject({ check: 'ACM: certificate of callbacks.domain' });
    expect(found.at(-1)?.says).toContain(message);
    expect(found.at(-1)?.cure).toMatch(cure);
  });

  test('fails the check when it is of another region', async () => {
    const elsewhere = { hostName: 'api.banco.example', certificateArn: certificateArn.replace(region, 'us-east-1') };
    const found = await errorsOf({}, { ...ready, api: { ...ready.api, domain: elsewhere } });
    expect(found).toMatchObject([
      { check: 'ACM: certificate of api.domain', says: 'the certificate is in us-east-1, the API in sa-east-1' },
    ]);
  });
});

describe('a truststore', () => {
  test.each<[string, () => unknown, RegExp]>([
    ['that does not exist', () => new NoSuchKey({ message: 'none', $metadata: {} }), /does not exist/u],
    ['without a certificate', () => object('hello'), /has no certificate/u],
    ['that is truncated', () => object(`${truststore}\n${truststore.slice(0, 200)}`), /is truncated/u],
    ['of a client instead of an authority', () => object(leaf), /is not the certificate of an authority/u],
  ])('fails the check for partners and for banks when it is one %s', async (_what, response, message) => {
    const found = await errorsOf({ GetObjectCommand: response() });
    expect(found.map(({ check }) => check)).toEqual(['S3: truststore of api.domain', 'S3: truststore of callbacks']);
    for (const one of found) expect(one.says).toMatch(message);
    expect(
      found.map(({ cure }) => /aws s3 cp FILE s3:\/\/partners\/ca\.pem|bank:truststore/u.exec(cure ?? '')?.[0]),
    ).toEqual(['aws s3 cp FILE s3://partners/ca.pem', 'bank:truststore']);
  });

  test('fails the check when it has expired', async () => {
    const clients = recordedAccount(
      answersWith({ DescribeCertificateCommand: certificateOf({ NotAfter: new Date('2200-01-01') }) }),
    ).clients;
    const { findings } = await examineAccount(clients, ready, region, () => '2150-01-01T00:00:00.000Z');
    expect(findings.filter(({ state }) => state === 'error').map(({ says }) => says.includes('expired on'))).toEqual([
      true,
      true,
    ]);
  });

  test('is read for banks from the bucket of this account and region', async () => {
    const asked: unknown[] = [];
    await examine({ GetObjectCommand: (input: unknown) => (asked.push(input), object(truststore)) });
    expect(asked).toContainEqual({
      Bucket: `banking-order-prod-authorities-${account}-${region}`,
      Key: 'truststore.pem',
    });
  });

  test('may be absent for banks while their domain is not set', async () => {
    const before = { ...prod, callbacks: { authorities: true as const } };
    const { findings } = await examine({}, before);
    expect(findings.filter(({ check }) => check.startsWith('S3'))).toEqual([]);
  });
});

describe('the role by which API Gateway writes logs', () => {
  const logging = (ownsGatewayLogRole: boolean, role: string | undefined) =>
    errorsOf(
      { GetAccountCommand: { cloudwatchRoleArn: role, ProductionAccessEnabled: true } },
      {
        ...ready,
        api: { ...ready.api, ownsGatewayLogRole },
      },
    );

  test.each([
    [false, undefined, 'First deploy'],
    [true, `arn:aws:iam::${account}:role/Dev-Service-PartnerApi`, 'to false'],
  ])('fails the check when this environment owns it (%s) and the account has %s', async (owns, role, cure) => {
    const found = await logging(owns, role);
    expect(found).toMatchObject([{ check: 'API Gateway: role for CloudWatch logs' }]);
    expect(found[0]?.cure).toContain(cure);
  });

  test.each([
    [false, `arn:aws:iam::${account}:role/Dev-Service-PartnerApi`],
    [true, `arn:aws:iam::${account}:role/Prod-Service-PartnerApi`],
    [true, undefined],
  ])('passes the check when this environment owns it (%s) and the account has %s', async (owns, role) => {
    expect(await logging(owns, role)).toEqual([]);
  });
});

describe('the bill', () => {
  const unwatched = { ...ready, alarms: { email: 'on-call@banco.example' } };

  test('fails the check when no budget watches it', async () => {
    expect(await errorsOf({}, unwatched)).toMatchObject([
      { check: 'Budgets', cure: expect.stringContaining('monthlyDollars') },
    ]);
  });

  test('passes the check when the account has another budget, if that is a cost budget', async () => {
    const budgets = (BudgetType: string) => ({
      DescribeBudgetsCommand: { Budgets: [{ BudgetName: 'all', BudgetType }] },
    });
    expect(await errorsOf(budgets('COST'), unwatched)).toEqual([]);
    expect(await errorsOf(budgets('USAGE'), unwatched)).toHaveLength(1);
  });
});

test('credentials of another account fail the check', async () => {
  const other = { GetCallerIdentityCommand: { Account: '222222222222' } };
  expect(await errorsOf(other)).toMatchObject([{ check: 'account', cure: expect.stringContaining('AWS_PROFILE') }]);
});

test('an unset value fails the check, because it stops the deployment', async () => {
  const found = await errorsOf({}, environments.prod);
  expect(found.map(({ says }) => says).join('\n')).toMatch(
    /entraTenantId is not set.*environments\.prod\.api\.domain is not set/su,
  );
});

describe('a failed request of preflight', () => {
  test.each([
    ['GetServiceQuotaCommand', 'AccessDeniedException', 'servicequotas:GetServiceQuota', 4],
    ['GetAccountSettingsCommand', 'AccessDeniedException', 'lambda:GetAccountSettings', 1],
    ['DescribeLimitsCommand', 'AccessDeniedException', 'dynamodb:DescribeLimits', 1],
    ['GetEmailIdentityCommand', 'AccessDeniedException', 'ses:GetEmailIdentity', 1],
    ['GetSMSSandboxAccountStatusCommand', 'AuthorizationErrorException', 'sns:GetSMSSandboxAccountStatus', 1],
    ['GetSMSAttributesCommand', 'AuthorizationErrorException', 'sns:GetSMSAttributes', 1],
    ['DescribeCertificateCommand', 'AccessDeniedException', 'acm:DescribeCertificate', 2],
    ['GetObjectCommand', 'AccessDenied', 's3:GetObject', 2],
    ['DescribeBudgetsCommand', 'AccessDeniedException', 'budgets:ViewBudget', 1],
  ])('is reported with the missing action when AWS denies %s', async (command, error, action, lines) => {
    const found = await errorsOf({ [command]: denied(error) });
    expect(found.map(({ says }) => says)).toEqual(Array.from({ length: lines }, () => 'no permission'));
    for (const { cure } of found) expect(cure).toContain(`Allow ${action}`);
  });

  test('is reported with both missing actions when two services have a command of the same name', async () => {
    const found = await errorsOf({ GetAccountCommand: denied('AccessDeniedException') });
    expect(found.map(({ cure }) => cure)).toEqual([
      expect.stringContaining('Allow apigateway:GET on /account'),
      expect.stringContaining('Allow ses:GetAccount'),
    ]);
  });

  test('is reported when a service fails, and all other checks are made', async () => {
    const found = await errorsOf({ DescribeLimitsCommand: denied('InternalServerError') });
    expect(found).toMatchObject([
      { check: 'DynamoDB: capacity units of a table', says: expect.stringContaining('InternalServerError') },
    ]);
  });
});

describe('the command preflight', () => {
  const run = async (change: Answers, ...args: readonly string[]) => {
    let out = '';
    let err = '';
    const regions: string[] = [];
    const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
    const noTable = (): never => {
      throw new Error('It needs no table.');
    };
    const open = (regionName: string) => (regions.push(regionName), recordedAccount(answersWith(change)).clients);
    const code = await runCommandLine(['preflight', ...args], noTable, terminal, open);
    return { code, out, err, regions };
  };

  test('needs no table, calls the region of the environment, and exits with 1 when a check fails', async () => {
    const { code, out, regions } = await run({}, '--env', 'prod');
    expect([code, regions]).toEqual([1, [region]]);
    expect(out).toMatch(/error {2}settings +entraTenantId is not set: .* {2}Set it in infra\/environments\.ts/u);
    expect(out).toMatch(/ok {5}DynamoDB: tables +2500, 2 needed +-/u);
  });

  test('prints its findings as JSON with --json', async () => {
    const { out } = await run({}, '--env', 'dev', '--json');
    const { environment, findings, errors } = JSON.parse(out) as Awaited<ReturnType<typeof examineAccount>>;
    expect([environment, errors]).toEqual(['dev', findings.filter(({ state }) => state === 'error').length]);
  });

  test.each([[[]], [['--env', 'local']], [['--env', 'dev', '--table', 'orders']]])(
    'exits with 2 when its options are %j',
    async (args) => {
      const { code, out, err, regions } = await run({}, ...args);
      expect({ code, out, regions }).toEqual({ code: 2, out: '', regions: [] });
      expect(err).toMatch(/--env|--table/u);
    },
  );

  test('exits with 1 and prints the error when it has no credentials', async () => {
    const { code, err } = await run({ GetCallerIdentityCommand: denied('CredentialsProviderError') }, '--env', 'dev');
    expect(code).toBe(1);
    expect(err).toContain('CredentialsProviderError');
  });
});
