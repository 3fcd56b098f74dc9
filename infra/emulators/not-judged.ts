import type { StandIn } from './localstack-stand-ins.ts';
import { standIns } from './localstack-stand-ins.ts';

/** A point that a run in an emulator leaves open, for a reason, and what proves it instead. */
type NotJudged = { readonly because: string; readonly provedBy: string };

/** What a run in one emulator cannot judge. docs/emulators.md shows the same, which a test holds. */
export type Judgement = {
  /** By the name of the point: what the emulator lacks. */
  readonly lacking: Readonly<Record<string, NotJudged>>;
  /** What this project brings in its place, by its own word, and what proves it instead. */
  readonly stoodInFor?: Readonly<Record<StandIn, string>>;
};

const crashes = 'the acceptance suite on the local environment (`test/slow/acceptance/crash.test.ts`)';
const hanging =
  'the acceptance suite on the local environment (`test/slow/acceptance/webhooks-hanging.test.ts`), the benchmarks (`test/bench`)';
const templates = 'the template tests (`test/infra`)';
const silence = {
  because: 'the run reads the logs of local environments alone; the answers are read',
  provedBy: 'the local run (`test/silence`)',
};
const besideApi = {
  because: 'they are the local environment’s alone, absent from every deployed stack',
  provedBy: 'the acceptance suite on the local environment (`test/acceptance/receiver.test.ts`)',
};
const errors = {
  because: 'some come only from what the emulator lacks, or are too slow to bring about',
  provedBy: 'the local run (`test/silence`)',
};
const ownStage = { because: 'the stage Local has none of them', provedBy: templates };

export const judgements = {
  ministack: {
    lacking: {
      'crashes (`kill -9` of everything)': { because: 'it keeps its data in memory', provedBy: crashes },
      'partial failures, retry limit, bisecting and failure queue of the stream': {
        because: 'it takes `batchItemFailures` of a stream for success, and repeats a failed batch for ever',
        provedBy:
          '`test/local/stream-batch.test.ts` and `test/slow/local/probe-events.test.ts`, the template tests, the sweep',
      },
      'the denial of secret partitions (`dynamodb:LeadingKeys`)': {
        because: 'it does not know the condition key',
        provedBy: '`test/infra/leading-keys.test.ts`',
      },
      'that a header which comes twice is refused': {
        because: 'it passes on the last one alone',
        provedBy:
          'the acceptance suite on the local environment and in LocalStack (`test/acceptance/hostile-requests.test.ts`)',
      },
      'throttling of the stage': {
        because: 'it stores the setting only',
        provedBy: 'the template tests, `test/local/gateway-parts.test.ts`',
      },
      'metric-math alarms': {
        because: 'it refuses them: left out by `-c withoutMathAlarms=true`',
        provedBy: '`test/infra/monitoring.test.ts`',
      },
      'time to live from the template': {
        because: 'it drops it for global tables: set after the deployment, as the deployed template says',
        provedBy: '`test/infra/data-stack.test.ts`',
      },
      'that `sqs:SendMessage` permits batches': {
        because:
          'it asks for `sqs:SendMessageBatch`, which IAM does not have: granted to the relay by a stack of its own',
        provedBy: templates,
      },
      'the zone of schedules': {
        because: 'it drops the zone and runs cron expressions by UTC: written in UTC after the deployment',
        provedBy: '`npm run test:localstack`, `test/local/schedules.test.ts`, `test/infra/schedules.test.ts`',
      },
      'that logs hold nothing private': silence,
      'that every error comes up': errors,
      'what is served beside the API (receiver, pages)': besideApi,
      'usage plans, firewall, own domain, customer managed key': ownStage,
      'memory, architecture, cold starts': {
        because: "it runs functions as processes of the machine's Node",
        provedBy: 'nothing before AWS itself',
      },
      'speed, and who waits for whom': {
        because: 'it is one process, few requests a second',
        provedBy: hanging,
      },
    },
  },
  localstack: {
    lacking: {
      'crashes (`kill -9` of everything)': { because: 'it keeps its data in memory here', provedBy: crashes },
      'permissions (IAM, policies of queues and buckets)': {
        because: 'this edition does not enforce them',
        provedBy: 'the acceptance suite on MiniStack (`npm run test:deployed`), the template tests (`test/infra`)',
      },
      'TLS to the services': { because: 'it runs on plain HTTP here', provedBy: '`npm run test:deployed`' },
      'bisecting and parallel batches of the stream': {
        because: 'it ignores both settings',
        provedBy: '`test/local/stream-batch.test.ts` and `test/slow/local/probe-events.test.ts`, the template tests',
      },
      'that time to live deletes': {
        because: 'it takes the setting from the template; deletion is opt-in and hourly',
        provedBy: 'nothing before AWS itself: no rule of the service waits for it',
      },
      'log levels of functions': {
        because: 'it keeps the setting only',
        provedBy: 'nothing before AWS itself: functions choose by themselves what they log',
      },
      alarms: {
        because: 'it takes metric math too, and evaluates none of them',
        provedBy: '`test/infra/monitoring.test.ts`',
      },
      'the dashboard': { because: 'it skips the resource with a warning', provedBy: '`test/infra/monitoring.test.ts`' },
      'throttling of the stage, access log': {
        because: 'it stores the settings only',
        provedBy: 'the template tests, `test/local/gateway-parts.test.ts`',
      },
      'retries and dead letters of schedules': {
        because: 'the plugin runs schedules and repeats none',
        provedBy: '`test/infra/schedules.test.ts`; a job that fails runs again in the next minute',
      },
      'that logs hold nothing private': silence,
      'that every error comes up': errors,
      'what is served beside the API (receiver, pages)': besideApi,
      'usage plans, firewall, own domain, customer managed key': ownStage,
      'memory, architecture, cold starts': {
        because: "the plugin runs functions as processes of the machine's Node",
        provedBy: 'nothing before AWS itself',
      },
      'speed, and who waits for whom': {
        because: 'its gateway is one Python process',
        provedBy: hanging,
      },
    },
    stoodInFor: {
      functions: 'the acceptance suite on MiniStack and on the local environment, which run them in their own ways',
      'authorizer-resource': '`npm run test:deployed`, `npm run lint:templates`, `test/infra/partner-api.test.ts`',
      authorizers: '`npm run test:deployed`, `test/local/probe-api.test.ts`',
      'gateway-responses': '`npm run test:deployed`, `test/infra/edge.test.ts`, `test/local/gateway-parts.test.ts`',
      schedules: '`npm run test:deployed` (rates), `test/local/schedules.test.ts`, `test/infra/schedules.test.ts`',
      'queue-concurrency': '`npm run test:deployed`, `test/slow/local/probe-events.test.ts`',
      forms: '`npm run test:deployed`, the acceptance suite on the local environment',
    },
  },
} as const satisfies Readonly<Record<string, Judgement>>;

/** What a run says at its end: by name what was not judged, and where each point is proved instead. */
export function describeNotJudged(emulator: string, { lacking, stoodInFor }: Judgement): string {
  const points = Object.entries(lacking).map(
    ([point, { because, provedBy }]) => `  ${point}\n    ${because}\n    proved instead by: ${provedBy}`,
  );
  const replaced = Object.entries(stoodInFor ?? {}).map(
    ([name, provedBy]) => `  ${name}: ${standIns[name as StandIn]}\n    proved instead by: ${provedBy}`,
  );
  return [
    `${emulator} cannot judge:`,
    ...points,
    ...(replaced.length === 0
      ? []
      : ["Stood in for by this project's plugin (a stand-in is no proof of what AWS does):", ...replaced]),
  ].join('\n');
}
