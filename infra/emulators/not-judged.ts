import described from './localstack/stand_ins/stand-ins.json' with { type: 'json' };

/** The stand-ins of this project's plugin of LocalStack by their names in its log, and what proves each point instead. */
export const standIns: Readonly<Record<string, { readonly what: string; readonly provedBy: string }>> = described;

const labels = { ministack: 'MiniStack', localstack: 'LocalStack' } as const;
export type EmulatorName = keyof typeof labels;

/** The reason of each emulator that does not judge a point, and what proves it instead. */
type NotJudged = Readonly<Partial<Record<EmulatorName, string>>> & { readonly provedBy: string };

const both = (because: string) => ({ ministack: because, localstack: because });
const templates = 'the template tests (`test/infra`)';
const localRun = 'the local run (`test/silence`)';
const locally = 'the acceptance suite on the local environment';

/** From trials, and the source of MiniStack 1.5.33 and LocalStack 4.14.0. */
export const notJudged = {
  'crashes (`kill -9` of everything)': {
    ...both('it keeps its data in memory'),
    provedBy: `${locally} (\`test/slow/acceptance/crash.test.ts\`)`,
  },
  'permissions (IAM, policies of queues and buckets)': {
    localstack: 'this edition does not enforce them',
    provedBy: `the acceptance suite on MiniStack (\`npm run test:deployed\`), ${templates}`,
  },
  'the denial of secret partitions (`dynamodb:LeadingKeys`)': {
    ministack: 'it does not know the condition key',
    provedBy: '`test/infra/leading-keys.test.ts`',
  },
  'that `sqs:SendMessage` permits batches': {
    ministack: 'it asks for `sqs:SendMessageBatch`, which IAM does not have: granted by a stack of its own',
    provedBy: templates,
  },
  'TLS to the services': { localstack: 'it runs on plain HTTP here', provedBy: '`npm run test:deployed`' },
  'failures of the stream: bisecting, parts of a batch, retry limit, failure queue': {
    ministack: 'it takes `batchItemFailures` of a stream for success, and repeats a failed batch for ever',
    localstack: 'it ignores bisecting, and parallel batches',
    provedBy:
      '`test/local/stream-batch.test.ts`, `test/slow/local/probe-events.test.ts`, the template tests, the sweep',
  },
  'that a header which comes twice is refused': {
    ministack: 'it passes on the last one alone',
    provedBy: `${locally} and in LocalStack (\`test/acceptance/hostile-requests.test.ts\`)`,
  },
  'throttling of the stage, access log': {
    ...both('it stores the settings only'),
    provedBy: 'the template tests, `test/local/gateway-parts.test.ts`',
  },
  'alarms, the dashboard': {
    ministack: 'it refuses metric math: left out by `-c withoutMathAlarms=true`',
    localstack: 'it evaluates no alarm, and skips the dashboard with a warning',
    provedBy: '`test/infra/monitoring.test.ts`',
  },
  'time to live': {
    ministack: 'it drops the setting of global tables: set after the deployment, as the deployed template says',
    localstack: 'deletion is opt-in and hourly',
    provedBy: '`test/infra/data-stack.test.ts`; no rule of the service waits for a deletion',
  },
  'the zone of schedules': {
    ministack: 'it drops the zone and runs cron expressions by UTC: written in UTC after the deployment',
    provedBy: '`test/local/schedules.test.ts`, `test/infra/schedules.test.ts`',
  },
  'retries and dead letters of schedules': {
    localstack: 'the plugin runs schedules and repeats none',
    provedBy: '`test/infra/schedules.test.ts`; a job that fails runs again in the next minute',
  },
  'log levels of functions': {
    localstack: 'it keeps the setting only',
    provedBy: 'nothing before AWS itself: functions choose by themselves what they log',
  },
  'that logs hold nothing private': {
    ...both('the run reads the logs of local environments alone; the answers are read'),
    provedBy: localRun,
  },
  'that every error comes up': {
    ...both('some come only from what the emulator lacks, or are too slow to bring about'),
    provedBy: localRun,
  },
  'what is served beside the API (receiver, pages)': {
    ...both('they are the local environment’s alone, absent from every deployed stack'),
    provedBy: `${locally} (\`test/acceptance/receiver.test.ts\`)`,
  },
  'usage plans, firewall, own domain, customer managed key': {
    ...both('the stage Local has none of them'),
    provedBy: templates,
  },
  'memory, architecture, cold starts': {
    ...both("functions run as processes of the machine's Node"),
    provedBy: 'nothing before AWS itself',
  },
  'speed, and concurrent requests': {
    ...both('it is one Python process'),
    provedBy: `${locally} (\`test/slow/acceptance/webhooks-hanging.test.ts\`), the benchmarks (\`test/bench\`)`,
  },
} as const satisfies Readonly<Record<string, NotJudged>>;

/** The end of a run: what the emulator does not judge, why, and what proves it instead. */
export function describeNotJudged(emulator: EmulatorName): string {
  const points = Object.entries<NotJudged>(notJudged).flatMap(([point, { [emulator]: because, provedBy }]) =>
    because === undefined ? [] : [`  ${point}\n    ${because}\n    proved instead by: ${provedBy}`],
  );
  const plugin = Object.entries(standIns).map(
    ([name, { what, provedBy }]) => `  ${name}: ${what}\n    proved instead by: ${provedBy}`,
  );
  return [
    `${labels[emulator]} cannot judge:`,
    ...points,
    ...(emulator === 'localstack'
      ? ["Stood in for by this project's plugin (a stand-in is no proof of what AWS does):", ...plugin]
      : []),
  ].join('\n');
}
