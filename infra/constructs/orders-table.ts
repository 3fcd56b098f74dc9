import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ContributorInsightsMode,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { DataSettings } from '../settings.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The single table: `GSI1` holds whole items for listings, `GSI2` only keys of work that becomes due, and the stream
 * carries new images to the relay. Indexes have general names because a table takes one new index an update.
 */
export class OrdersTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, data: DataSettings) {
    super(scope, id);
    const removalPolicy = data.protected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    const key = data.customerManagedKey
      ? new Key(this, 'Key', { description: 'Orders table', enableKeyRotation: true, removalPolicy })
      : undefined;
    this.table = new TableV2(this, 'Table', {
      partitionKey: text('PK'),
      sortKey: text('SK'),
      globalSecondaryIndexes: [
        {
          indexName: 'GSI1',
          partitionKey: text('GSI1PK'),
          sortKey: text('GSI1SK'),
          projectionType: ProjectionType.ALL,
        },
        {
          indexName: 'GSI2',
          partitionKey: text('GSI2PK'),
          sortKey: text('GSI2SK'),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      billing: Billing.onDemand({
        ...(data.maxReadUnits !== undefined && { maxReadRequestUnits: data.maxReadUnits }),
        ...(data.maxWriteUnits !== undefined && { maxWriteRequestUnits: data.maxWriteUnits }),
      }),
      dynamoStream: StreamViewType.NEW_IMAGE,
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
    });
  }
}
