const partitions = 'Best practices for designing and using partition keys effectively in DynamoDB';
const onDemand = 'DynamoDB on-demand capacity mode';
const fairQueues = 'How Amazon SQS fair queues work';

/** Limits of AWS before a quota is raised, with the title of its page. Units and requests are those of a second. */
export const aws = {
  partitionWriteUnits: { is: 1000, page: partitions },
  partitionReadUnits: { is: 3000, page: partitions },
  /** Write units of a new on-demand table, and of each of its indexes. */
  newTableWriteUnits: { is: 4000, page: 'Understanding DynamoDB warm throughput' },
  tableWriteUnits: { is: 40_000, page: 'Quotas in Amazon DynamoDB' },
  /** A table or index takes so many times its previous peak, which is one of so many minutes ago. */
  peakFactor: { is: 2, page: onDemand },
  peakMinutes: { is: 30, page: onDemand },
  /** Units of a write in a transaction for each unit of a plain one. */
  transactionFactor: { is: 2, page: 'Amazon DynamoDB Transactions: How it works' },
  executions: { is: 1000, page: 'Understanding Lambda function scaling' },
  newExecutionsIn10Seconds: { is: 1000, page: 'Lambda scaling behavior' },
  gatewayRequests: { is: 10_000, page: 'Amazon API Gateway quotas' },
  gatewaySeconds: { is: 29, page: 'Quotas for configuring and running a REST API in API Gateway' },
  /** Messages of a standard queue that are received and not deleted. */
  inFlight: { is: 120_000, page: 'Amazon SQS standard queue quotas' },
  /** A message group with a larger share of the messages in flight, and so many, waits behind the others. */
  noisyShare: { is: 0.1, page: fairQueues },
  noisyMessages: { is: 30, page: fairQueues },
} as const satisfies Readonly<Record<string, { readonly is: number; readonly page: string }>>;
