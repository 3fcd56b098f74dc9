/**
 * List prices of AWS in us-east-1, US dollars, without free tiers and discounts, as published in November 2026, and the
 * formula by which a journey's cost follows from what was measured.
 *
 * | Price        | Source                                                                                        |
 * |--------------|-----------------------------------------------------------------------------------------------|
 * | apiRequest   | https://aws.amazon.com/api-gateway/pricing/ (REST API, the first 333 million a month)          |
 * | invocation,  | https://aws.amazon.com/lambda/pricing/ (arm64, first tier)                                      |
 * | gigabyteSecond |                                                                                             |
 * | writeUnit, readUnit | https://aws.amazon.com/dynamodb/pricing/on-demand/ (standard table, since November 2024) |
 * | queueRequest | https://aws.amazon.com/sqs/pricing/ (standard queue, with the surcharge for message groups)     |
 * | logGigabyte  | https://aws.amazon.com/cloudwatch/pricing/ (ingestion)                                          |
 * | trace        | https://aws.amazon.com/xray/pricing/                                                            |
 * | outGigabyte  | https://aws.amazon.com/ec2/pricing/on-demand/ (to the internet)                                 |
 *
 * Lambda reads a DynamoDB stream without charge.
 */
const million = 1_000_000;
const prices = {
  apiRequest: 3.5 / million,
  invocation: 0.2 / million,
  gigabyteSecond: 0.0000133334,
  writeUnit: 0.625 / million,
  readUnit: 0.125 / million,
  queueRequest: 0.5 / million,
  logGigabyte: 0.5,
  trace: 5 / million,
  outGigabyte: 0.09,
} as const;

/** What cannot be measured here, and is assumed instead. */
export const assumed = {
  /** A function has one core at so much memory, and less in proportion (Lambda, "Configure function memory"). */
  memoryOfACoreMb: 1769,
  /** Answer of DynamoDB to one call within the region. */
  databaseMs: 6,
  /** Answer of SQS to one call within the region. */
  queueMs: 8,
  /** How long a partner takes to answer a notification, a new connection with TLS included. */
  partnerMs: 300,
  /** X-Ray's own rule beyond the first request of a second. */
  traced: 0.05,
  /** What Lambda itself logs of an invocation, and the gateway of a request. */
  platformLogBytes: 600,
  accessLogBytes: 550,
  /** An answer or a notification with its headers. */
  sentBytes: 1500,
} as const;

/** One step of a journey, measured. */
export type Step = {
  /** It came through the gateway. */
  readonly isRequest: boolean;
  readonly memoryMb: number;
  readonly computingMs: number;
  /** Calls of database, queue and partner, milliseconds of waiting. */
  readonly waitingMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queueRequests: number;
  readonly logBytes: number;
  /** It sends something out of the region. */
  readonly sends: boolean;
};

/** What a million of a step cost, US dollars, by what is paid for. */
export function costOfAMillion(
  step: Step,
): Readonly<Record<'gateway' | 'functions' | 'table' | 'queue' | 'logs, traces, traffic', number>> {
  const billedMs = step.computingMs * Math.max(1, assumed.memoryOfACoreMb / step.memoryMb) + step.waitingMs;
  const logged = step.logBytes + assumed.platformLogBytes + (step.isRequest ? assumed.accessLogBytes : 0);
  const gigabyte = 1e9;
  return {
    gateway: step.isRequest ? prices.apiRequest * million : 0,
    functions:
      (prices.invocation + (step.memoryMb / 1024) * (Math.ceil(billedMs) / 1000) * prices.gigabyteSecond) * million,
    table: (step.readUnits * prices.readUnit + step.writeUnits * prices.writeUnit) * million,
    queue: step.queueRequests * prices.queueRequest * million,
    'logs, traces, traffic':
      (logged / gigabyte) * prices.logGigabyte * million +
      assumed.traced * prices.trace * million +
      (step.sends ? (assumed.sentBytes / gigabyte) * prices.outGigabyte * million : 0),
  };
}
