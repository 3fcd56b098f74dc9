import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { OrdersTable } from './constructs/orders-table.ts';
import type { EnvironmentSettings } from '../settings.ts';
import { stackTags } from './stack-tags.ts';

/** What must outlive every deployment: the table and its key. */
export class DataStack extends Stack {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id, {
      description: `Banking order service, ${settings.name}: the table`,
      terminationProtection: settings.data.protected,
      tags: stackTags(settings),
    });
    this.table = new OrdersTable(this, 'Orders', settings.data).table;
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
  }
}
