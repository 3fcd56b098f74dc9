import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { GlobalSecondaryIndexPropsV2, ITableV2, TablePropsV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  AttributeType,
  Billing,
  Capacity,
  ContributorInsightsMode,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { indexes } from '#shared/platform/table/store.ts';
import type { DataSettings, RestoredTable } from '#infra/settings.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The single table. Indexes and stream hold only keys: a reader of the stream sees neither secrets nor partners' data.
 * Indexes have general names, so that new queries can share them: a table takes one new index per update.
 */
export class OrdersTable extends Construct {
  /** The table of the template. */
  readonly table: TableV2;
  /** The table that the service uses: after a restore it can be the restored table. */
  readonly inUse: ITableV2;

  /** @param tags Of the replica: a global table does not take the tags of its stack. */
  constructor(scope: Construct, id: string, data: DataSettings, tags: Readonly<Record<string, string>>) {
    super(scope, id);
    const removalPolicy = data.protected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    const key = data.customerManagedKey ? this.addKey(removalPolicy) : undefined;
    const { billing, ofIndex } = capacityOf(data);
    const warm = warmOf(data);
    this.table = new TableV2(this, 'Table', {
      partitionKey: text('PK'),
      sortKey: text('SK'),
      globalSecondaryIndexes: Object.entries(indexes).map(([indexName, { partition, sort }]) => ({
        indexName,
        partitionKey: text(partition),
        sortKey: text(sort),
        projectionType: ProjectionType.KEYS_ONLY,
        // An index does not have the table's capacity.
        ...ofIndex,
        ...warm,
      })),
      billing,
      ...warm,
      dynamoStream: StreamViewType.KEYS_ONLY,
      timeToLiveAttribute: 'expiresAt',
      encryption: key === undefined ? TableEncryptionV2.dynamoOwnedKey() : TableEncryptionV2.customerManagedKey(key),
      ...(data.recoveryDays > 0 && {
        pointInTimeRecoverySpecification: {
          pointInTimeRecoveryEnabled: true,
          recoveryPeriodInDays: data.recoveryDays,
        },
      }),
      ...(data.hotKeys && {
        contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
      }),
      deletionProtection: data.protected,
      removalPolicy,
      tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
    });
    // An assertion: CDK's class declares an id that may be undefined, its interface one that may be absent.
    this.inUse = data.restored === undefined ? (this.table as ITableV2) : this.restored(data.restored, key);
    this.keepExports(key);
  }

  /** Creates a multi-Region key: a single-Region key cannot become one later (docs/decisions/035). */
  private addKey(removalPolicy: RemovalPolicy): Key {
    return new Key(this, 'Key', {
      description: 'Orders table',
      enableKeyRotation: true,
      removalPolicy,
      multiRegion: true,
    });
  }

  /** Refers to the restored table, which has the encryption key of the table that it was restored from. */
  private restored({ tableName, streamLabel }: RestoredTable, encryptionKey: Key | undefined): ITableV2 {
    const resource = `table/${tableName}`;
    const arnOf = (path: string): string => Stack.of(this).formatArn({ service: 'dynamodb', resource: path });
    return TableV2.fromTableAttributes(this, 'Restored', {
      tableArn: arnOf(resource),
      tableStreamArn: arnOf(`${resource}/stream/${streamLabel}`),
      ...(encryptionKey && { encryptionKey }),
    });
  }

  /**
   * Keeps the resources that the service refers to exported while it works on another table. Otherwise this stack could
   * not be deployed before the service has switched, nor could the service switch back.
   */
  private keepExports(key: Key | undefined): void {
    const stack = Stack.of(this);
    for (const value of [this.table.tableArn, this.table.tableName, streamArn(this.table), key?.keyArn])
      if (value !== undefined) stack.exportValue(value);
  }
}

type CapacityOfTable = {
  readonly billing: Billing;
  readonly ofIndex: Pick<
    GlobalSecondaryIndexPropsV2,
    'maxReadRequestUnits' | 'maxWriteRequestUnits' | 'readCapacity' | 'writeCapacity'
  >;
};

/** Returns the capacity of table and indexes. @throws Error when provisioned capacity has no upper limit. */
function capacityOf({ maxReadUnits, maxWriteUnits, provisioned }: DataSettings): CapacityOfTable {
  if (provisioned === undefined) {
    const most = {
      ...(maxReadUnits !== undefined && { maxReadRequestUnits: maxReadUnits }),
      ...(maxWriteUnits !== undefined && { maxWriteRequestUnits: maxWriteUnits }),
    };
    return { billing: Billing.onDemand(most), ofIndex: most };
  }
  if (maxReadUnits === undefined || maxWriteUnits === undefined)
    throw new Error('Provisioned capacity needs data.maxReadUnits and data.maxWriteUnits.');
  const { minReadUnits, minWriteUnits, utilization } = provisioned;
  const target = { targetUtilizationPercent: utilization };
  const capacities = {
    readCapacity: Capacity.autoscaled({ minCapacity: minReadUnits, maxCapacity: maxReadUnits, ...target }),
    writeCapacity: Capacity.autoscaled({ minCapacity: minWriteUnits, maxCapacity: maxWriteUnits, ...target }),
  };
  return { billing: Billing.provisioned(capacities), ofIndex: capacities };
}

function warmOf({ warmThroughput }: DataSettings): Pick<TablePropsV2, 'warmThroughput'> {
  if (warmThroughput === undefined) return {};
  const { readUnits: readUnitsPerSecond, writeUnits: writeUnitsPerSecond } = warmThroughput;
  return { warmThroughput: { readUnitsPerSecond, writeUnitsPerSecond } };
}

/** Returns the ARN of the table's stream. @throws Error when the table was created without a stream. */
export function streamArn(table: { readonly tableStreamArn?: string | undefined }): string {
  const arn = table.tableStreamArn;
  if (arn === undefined) throw new Error('The table has no stream.');
  return arn;
}
