/** Where the service is priced. */
export const regions = ['us-east-1', 'sa-east-1'] as const;
export type Region = (typeof regions)[number];

/** A list price: US dollars, without free tiers and discounts for volume. */
type Price = Readonly<Record<Region, number>> & {
  readonly per: string;
  /** Page of AWS under https://aws.amazon.com/ with the price. */
  readonly page: string;
  /** Regions whose number no page that could be read confirms: from memory, or by the usual ratio of the two. */
  readonly unconfirmed?: readonly Region[];
};

/** Date of the last comparison of these with the pages. */
export const pricesOf = '2026-11-25';

const million = 'million';
const saoPaulo = ['sa-east-1'] as const;
const both = (price: number) => ({ 'us-east-1': price, 'sa-east-1': price });
const two = (virginia: number, brazil: number) => ({ 'us-east-1': virginia, 'sa-east-1': brazil });

export const prices = {
  apiRequest: { ...two(3.5, 4.25), per: million, page: 'api-gateway/pricing', unconfirmed: saoPaulo },
  invocation: { ...both(0.2), per: million, page: 'lambda/pricing', unconfirmed: saoPaulo },
  /** arm64. */
  gigabyteSecond: { ...both(13.3334), per: 'million GB-seconds', page: 'lambda/pricing' },
  /** arm64, ready whether it is called or not. */
  readyGigabyteSecond: { ...both(3.3334), per: 'million GB-seconds', page: 'lambda/pricing', unconfirmed: regions },
  writeUnit: { ...two(0.625, 0.9375), per: million, page: 'dynamodb/pricing/on-demand', unconfirmed: saoPaulo },
  readUnit: { ...two(0.125, 0.1875), per: million, page: 'dynamodb/pricing/on-demand', unconfirmed: saoPaulo },
  writeCapacity: {
    ...two(0.000_65, 0.000_975),
    per: 'hour',
    page: 'dynamodb/pricing/provisioned',
    unconfirmed: saoPaulo,
  },
  readCapacity: {
    ...two(0.000_13, 0.000_195),
    per: 'hour',
    page: 'dynamodb/pricing/provisioned',
    unconfirmed: saoPaulo,
  },
  storage: { ...two(0.25, 0.375), per: 'GB-month', page: 'dynamodb/pricing/on-demand', unconfirmed: saoPaulo },
  recovery: { ...two(0.2, 0.3), per: 'GB-month', page: 'dynamodb/pricing/on-demand', unconfirmed: regions },
  backup: { ...two(0.1, 0.15), per: 'GB-month', page: 'backup/pricing', unconfirmed: regions },
  /** A standard queue, with the surcharge for message groups. */
  queueRequest: { ...both(0.5), per: million, page: 'sqs/pricing', unconfirmed: regions },
  scheduledRun: { ...both(1), per: million, page: 'eventbridge/pricing', unconfirmed: regions },
  logGigabyte: { ...two(0.5, 0.9), per: 'GB', page: 'cloudwatch/pricing', unconfirmed: saoPaulo },
  metric: { ...both(0.3), per: 'month', page: 'cloudwatch/pricing', unconfirmed: saoPaulo },
  alarmMetric: { ...both(0.1), per: 'month', page: 'cloudwatch/pricing', unconfirmed: regions },
  dashboard: { ...both(3), per: 'month', page: 'cloudwatch/pricing', unconfirmed: saoPaulo },
  countedKeys: { ...both(0.5), per: 'month', page: 'cloudwatch/pricing', unconfirmed: regions },
  trace: { ...both(5), per: million, page: 'xray/pricing', unconfirmed: regions },
  encryptionKey: { ...both(1), per: 'month', page: 'kms/pricing', unconfirmed: regions },
  secret: { ...both(0.4), per: 'month', page: 'secrets-manager/pricing', unconfirmed: regions },
  secretRead: { ...both(5), per: million, page: 'secrets-manager/pricing', unconfirmed: regions },
  firewall: { ...both(5), per: 'month', page: 'waf/pricing', unconfirmed: saoPaulo },
  firewallRule: { ...both(1), per: 'month', page: 'waf/pricing', unconfirmed: saoPaulo },
  firewallRequest: { ...both(0.6), per: million, page: 'waf/pricing', unconfirmed: saoPaulo },
  gigabyteOut: { ...two(0.09, 0.15), per: 'GB', page: 'ec2/pricing/on-demand', unconfirmed: regions },
} as const satisfies Readonly<Record<string, Price>>;

export type Priced = keyof typeof prices;

/** Returns the dollars of a quantity, which is in single units also where the price is by the million. */
export function dollarsOf(what: Priced, quantity: number, region: Region): number {
  const price: Price = prices[what];
  return (price[region] * quantity) / (price.per.startsWith(million) ? 1_000_000 : 1);
}

/** Assumptions in place of measurements that only AWS itself could give. */
export const assumed = {
  /** Hours of a month. */
  monthHours: 730,
  /** An invocation writes so much. */
  logBytes: 2000,
  /** A line of the access log. */
  accessLogBytes: 500,
  /** A message is sent, received and deleted. */
  queueRequests: 3,
  /** A database call, where the benchmarks run one of their own. */
  databaseMs: 6,
  /** The relay's call of the queue, with its own work. */
  relayMs: 20,
  /** The authorizer, which finds issuer's keys and client in its memory or reads them. */
  authorizerMs: 10,
  /** The synthetic caller waits for its notification. */
  callerMs: 5000,
  receiverMs: 50,
  /** Lambda asks a queue, empty or not: five pollers, each for 20 seconds. */
  pollsAMinute: 15,
  /** A notification or a response with its headers and TLS. */
  bytesOut: 2000,
  /** Metrics of functions that a million payouts keep alive, beside those that alarms watch. */
  trafficMetrics: 12,
  /** An entry of an index, with what DynamoDB adds to it. */
  indexEntryBytes: 250,
  /** DynamoDB adds so much to an item. */
  itemOverheadBytes: 100,
} as const;
