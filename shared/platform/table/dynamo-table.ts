import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { retrying } from './retry.ts';

export type Consumed = { readonly operation: 'read' | 'query' | 'write'; readonly units: number };
export type DynamoStoreOptions = {
  readonly client: Pick<DynamoDBDocumentClient, 'send'>;
  readonly tableName: string;
  /** Told the capacity units of every call; the measurement behind docs/capacity.md. */
  readonly onConsumed?: (consumed: Consumed) => void;
  readonly sleep?: (milliseconds: number) => Promise<void>;
};

/** What reads and writes share: the table, the retries and the count of units. */
export type Table = {
  readonly client: DynamoStoreOptions['client'];
  readonly tableName: string;
  readonly retry: ReturnType<typeof retrying>;
  readonly measure: 'NONE' | 'TOTAL';
  readonly count: (operation: Consumed['operation'], consumed: Capacity | readonly Capacity[] | undefined) => void;
};
type Capacity = { readonly CapacityUnits?: number | undefined };
