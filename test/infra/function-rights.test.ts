import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import type { Statement } from './synthesized.ts';
import { actionsOf, functionsOf, resourcesOf, synthesize } from './synthesized.ts';

/*
 * What each function may touch, written by hand: functions/routes.ts and functions/workers.ts are judged by it. Who
 * changes an access says it here, too; that the code needs it, the simulated world shows.
 */

const endpoints: Readonly<Record<string, string>> = {
  ListAccounts: 'reads, GSI1, hash secret',
  ListEntries: 'reads',
  ListStatementRoots: 'reads',
  GetBalance: 'reads',
  GetCapabilities: 'reads',
  CreatePixKey: "writes, hash secret, banks' secrets",
  ResendKeyCode: 'writes, hash secret',
  ConfirmPixKey: "writes, code secrets, hash secret, banks' secrets",
  RemovePixKey: "writes, hash secret, banks' secrets",
  ListPixKeys: 'reads',
  CreatePayIn: "writes, banks' secrets",
  ListPayIns: 'reads, GSI2, GSI3',
  GetPayIn: 'reads',
  CancelPayIn: "writes, banks' secrets",
  RefundPayIn: "writes, banks' secrets",
  ListRefunds: 'reads',
  GetRefundCertificate: 'reads, signs',
  ListCredits: 'reads, GSI1, GSI2',
  GetCredit: 'reads',
  ReturnCredit: "writes, banks' secrets",
  AssignCredit: "writes, banks' secrets",
  ListDisputes: 'reads, GSI1, GSI2',
  GetDispute: 'reads',
  DefendDispute: "writes, banks' secrets",
  CreatePayout: "writes, hash secret, banks' secrets",
  ListPayouts: 'reads, GSI2, GSI3',
  GetPayout: 'reads',
  GetPayoutCertificate: 'reads, signs',
  CreateSubscription: "writes, banks' secrets",
  ListSubscriptions: 'reads, GSI2',
  GetSubscription: 'reads',
  UpdateSubscription: 'writes',
  CancelSubscription: "writes, banks' secrets",
  CreateScheduledPayment: "writes, banks' secrets",
  ListScheduledPayments: 'reads',
  GetScheduledPayment: 'reads',
  CancelScheduledPayment: "writes, banks' secrets",
  GetWebhookSettings: 'reads',
  GetWebhookDelivery: 'reads',
  ListWebhookDeliveries: 'reads, GSI1, GSI2, GSI3',
  ReplaceWebhookSettings: 'writes',
  ListWebhookEndpoints: 'reads, GSI2',
  ReleaseWebhookEndpoint: 'writes, GSI2',
  ResendWebhookDelivery: 'writes',
  ResendWebhookDeliveries: 'writes',
  GetWebhookResend: 'reads',
  RotateWebhookSecret: 'writes, webhook secrets',
  TestWebhook: 'writes',
  ForceSubscriptionStatus: 'writes',
  ForceScheduledPaymentStatus: 'writes',
  ForceOrderStatus: 'writes',
  ReceiveCredit: 'writes',
  ForceDisputeStatus: 'writes',
  GetBankProfile: 'reads',
  SetBankProfile: 'writes',
  GetClock: 'reads',
  SetClock: 'writes, GSI2, hash secret',
  GetKeyCode: 'reads',
  ResetClock: 'writes',
};

const workers: Readonly<Record<string, string>> = {
  Authorizer: "gets, issuer's keys",
  RelayDeliveries: 'deliveries sends, drains sends, relay failures sends, key codes sends, stream',
  DeliverNotification: 'writes, GSI2, webhook secrets, deliveries receives',
  DrainBacklogs: 'writes, GSI2, webhook secrets, drains receives',
  SweepDeliveries: 'writes, GSI1, GSI3, dead letters receives',
  ExpirePayIns: "writes, GSI3, banks' secrets",
  SubmitPayouts: "writes, GSI3, banks' secrets",
  SubmitCommands: "writes, GSI3, hash secret, banks' secrets",
  ResendSettlementErrors: "writes, GSI3, banks' secrets",
  AdvanceScheduledPayments: "writes, GSI3, banks' secrets",
  SendKeyCodes: 'writes, GSI3, code secrets, key codes fills, codes',
  ChainEntries: 'writes, relay failures sends, stream, signs',
  ReceiveCallbacks: 'writes, callbacks sends, unknown-ids sends',
  ApplyCallbacks: "writes, GSI3, banks' secrets, callbacks receives, unknown-ids receives",
  ReadBankLists: "writes, GSI3, banks' secrets",
  RunCompanyJobs: 'writes, GSI2, GSI3, hash secret',
};

const hml = synthesize()('Hml-Service');

/** Actions on the table by the names of functions/access.ts. */
const levels = {
  gets: 'GetItem',
  reads: 'BatchGetItem GetItem Query',
  writes: 'BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem',
} as const;
const queueUses = {
  sends: 'SendMessage',
  receives: 'ChangeMessageVisibility DeleteMessage GetQueueAttributes ReceiveMessage',
  fills: 'ChangeMessageVisibility DeleteMessage GetQueueAttributes ReceiveMessage SendMessage',
} as const;
const queues = {
  deliveries: /QueuesDeliveries[0-9A-F]{8}/u,
  drains: /QueuesDrains[0-9A-F]{8}/u,
  'dead letters': /QueuesDeadLetters[0-9A-F]{8}/u,
  'relay failures': /QueuesRelayFailures[0-9A-F]{8}/u,
  callbacks: /BankQueuesCallbacks[0-9A-F]{8}/u,
  'unknown-ids': /BankQueuesUnknown[0-9A-F]{8}/u,
  'key codes': /DueQueuesSendKeyCodes[0-9A-F]{8}/u,
} as const;
/** Partitions that are closed by a statement, each with what a function may that has none. */
const closing = {
  NoSecrets: 'webhook secrets',
  NoCodeSecrets: 'code secrets',
  NoHashSecret: 'hash secret',
  NoIssuerKeys: "issuer's keys",
};

const bare = (statements: readonly Statement[]): string =>
  statements
    .flatMap(actionsOf)
    .map((action) => action.replace(/^.*:/u, ''))
    .toSorted()
    .join(' ');

function wordOf(actionsByWord: Readonly<Record<string, string>>, actions: string): readonly string[] {
  if (actions === '') return [];
  return [Object.entries(actionsByWord).find(([, wordActions]) => wordActions === actions)?.[0] ?? actions];
}

/** What a policy allows, with the names of this file. */
function summaryOf(statements: readonly Statement[]): string {
  const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
  const findStatements = (sid: string): readonly Statement[] => allowed.filter(({ Sid }) => Sid === sid);
  const has = (service: string): boolean =>
    allowed.flatMap(actionsOf).some((action) => action.startsWith(`${service}:`));
  const table = wordOf(levels, bare(findStatements('Table')));
  const closed = new Set(statements.filter(({ Effect }) => Effect === 'Deny').map(({ Sid }) => Sid));
  const onQueue = (pattern: RegExp): string =>
    bare(
      allowed.filter(
        (one) => bare([one]).includes('Message') && resourcesOf(one).some((resource) => pattern.test(resource)),
      ),
    );
  return [
    ...table,
    ...findStatements('Indexes')
      .flatMap(resourcesOf)
      .map((resource) => /\/index\/(GSI\d)"/u.exec(resource)?.[1] ?? resource),
    ...(table.length === 0
      ? []
      : Object.entries(closing)
          .filter(([sid]) => !closed.has(sid))
          .map(([, description]) => description)),
    ...(has('secretsmanager') ? ["banks' secrets"] : []),
    ...Object.entries(queues).flatMap(([name, pattern]) =>
      wordOf(queueUses, onQueue(pattern)).map((use) => `${name} ${use}`),
    ),
    ...(findStatements('ReadStream').length > 0 ? ['stream'] : []),
    ...(findStatements('Sign').length > 0 ? ['signs'] : []),
    ...(has('ses') && has('sns') ? ['codes'] : []),
    ...(has('apigateway') ? ["callbacks' domain"] : []),
  ].join(', ');
}

const summaries = Object.fromEntries(functionsOf(hml).map(({ name, statements }) => [name, summaryOf(statements)]));

test('each function has the rights that are listed in this file, and no others', () => {
  expect(summaries).toEqual({ ...endpoints, ...workers });
});

test('functions may query an index, and have no other right on it', () => {
  const onIndexes = functionsOf(hml).flatMap(({ statements }) => statements.filter(({ Sid }) => Sid === 'Indexes'));
  expect(new Set(onIndexes.flatMap(actionsOf))).toEqual(new Set(['dynamodb:Query']));
});

test('an endpoint may read the secrets of banks exactly when its handler calls a port of a bank', () => {
  // Tools act at the simulated bank alone, and capabilities stand in the table.
  const calling = /, (?:paying|receiving|defending|charge|key)Dependencies\);$/mu;
  const found = routes
    .filter(({ simulation }) => simulation !== true)
    .map(({ folder, access }) => {
      const source = readFileSync(new URL(`../../functions/${folder}/handler.ts`, import.meta.url), 'utf8');
      return { folder, calls: calling.test(source), mayRead: access.bank === true };
    });
  expect(found.filter(({ calls }) => calls).length).toBeGreaterThan(10);
  expect(found.filter(({ calls, mayRead }) => calls !== mayRead)).toEqual([]);
});
