import { shardOf } from '#shared/platform/jobs/due-kinds.ts';
import { relayed } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import type { Draws } from '#test/model/bank-books.ts';
import { beginsAt } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';

type EventName = 'INSERT' | 'REMOVE';
export type StreamRecord = {
  readonly eventName: EventName;
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly Keys: { PK: { S: string }; SK: { S: string } };
    readonly ApproximateCreationDateTime: number;
  };
};
type Shard = { readonly records: StreamRecord[]; position: number; isRead: boolean; tries: number; most: number };

/** What an event source does with the stream: the numbers of infra/aws/constructs/delivery-pipeline.ts. */
type Source = {
  readonly accepts: (SK: string) => boolean;
  readonly batchSize: number;
  readonly retryAttempts: number;
  /** Gives the sequence number of the first record that failed; a throw fails the batch. */
  readonly read: (batch: readonly StreamRecord[]) => Promise<'DONE' | 'FAILED' | { readonly failedFrom: string }>;
  /** Reports records after their last retry. */
  readonly giveUp?: () => void;
};

export const sources = {
  relay: {
    accepts: (SK: string) =>
      SK === relayed.delivery ||
      SK.startsWith(relayed.dispatch) ||
      SK.startsWith(relayed.drain) ||
      SK.startsWith(relayed.keyCode),
    batchSize: 100,
    retryAttempts: 10,
  },
  chain: { accepts: (SK: string) => SK.startsWith(relayed.ledgerEntry), batchSize: 1_000, retryAttempts: Infinity },
} as const;

const shardCount = 4;

/**
 * The table's stream, of which the filters leave INSERTs alone: order holds within a key, a batch that fails comes
 * again from its first failure and in halves, and after its last retry it is given up.
 */
export function streamOf(time: VirtualTime, draws: Draws, readers: readonly Source[]) {
  const shards = readers.map((reader) => ({
    reader,
    shards: Array.from({ length: shardCount }, (): Shard => ({
      records: [],
      position: 0,
      isRead: false,
      tries: 0,
      most: Infinity,
    })),
  }));
  let sequence = 0;
  const later = (reader: Source, shard: Shard, ms: number): void => {
    time.at(time.now() + ms, () => {
      pump(reader, shard);
    });
  };
  const pump = (reader: Source, shard: Shard): void => {
    if (shard.isRead || shard.position >= shard.records.length) return;
    shard.isRead = true;
    const size = Math.min(reader.batchSize, shard.most);
    const batch = shard.records.slice(shard.position, shard.position + size);
    void reader.read(batch).then((result) => {
      shard.isRead = false;
      advance(reader, shard, batch, result);
      later(reader, shard, result === 'DONE' ? 20 : draws.between(200, 2000));
    });
  };
  const advance = (
    { retryAttempts, giveUp }: Source,
    shard: Shard,
    batch: readonly StreamRecord[],
    result: Awaited<ReturnType<Source['read']>>,
  ): void => {
    if (result === 'DONE') {
      shard.position += batch.length;
      Object.assign(shard, { tries: 0, most: Infinity });
      return;
    }
    if (typeof result === 'object') {
      const from = batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === result.failedFrom);
      shard.position += Math.max(0, from);
    }
    shard.tries += 1;
    shard.most = Math.max(1, Math.floor(batch.length / 2));
    if (shard.tries <= retryAttempts) return;
    giveUp?.();
    shard.position += shard.most;
    Object.assign(shard, { tries: 0, most: Infinity });
  };
  return {
    /** A record of the stream; each source takes those that its filter names. */
    record: (eventName: EventName, { PK, SK }: Item): void => {
      for (const { reader, shards: own } of shards) {
        const shard = own[shardOf(PK, shardCount)];
        if (eventName !== 'INSERT' || !reader.accepts(SK) || shard === undefined) continue;
        sequence += 1;
        const Keys = { PK: { S: PK }, SK: { S: SK } };
        const second = Math.floor((beginsAt + time.now()) / 1000);
        const dynamodb = { SequenceNumber: String(sequence), Keys, ApproximateCreationDateTime: second };
        shard.records.push({ eventName, dynamodb });
        later(reader, shard, draws.between(50, 400));
      }
    },
  };
}
