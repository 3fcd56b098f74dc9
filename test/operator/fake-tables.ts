import type { TableAdmin } from '#infra/operator/restore/table-settings.ts';

/** A table's settings as AWS describes them; absent ones as after a restore. */
export type FakeTable = {
  TableArn: string;
  TableStatus: string;
  KeySchema: readonly object[];
  GlobalSecondaryIndexes: readonly object[];
  SSEDescription?: { readonly KMSMasterKeyArn: string };
  StreamSpecification?: object;
  LatestStreamLabel?: string;
  DeletionProtectionEnabled?: boolean;
  OnDemandThroughput?: object;
  expiry?: string;
  recoveryDays?: number;
  insights?: string;
  tags: readonly { readonly Key: string; readonly Value: string }[];
  policy?: string;
};

type Input = Readonly<Record<string, unknown>> & { readonly TableName?: string; readonly ResourceArn?: string };

/** DynamoDB's own answers to the commands of a restore, and its refusals. */
export function fakeTables(tables: Readonly<Record<string, FakeTable>>): TableAdmin & { readonly sent: string[] } {
  const sent: string[] = [];
  const refuse = (name: string): never => {
    throw Object.assign(new Error(name), { name });
  };
  const findTable = ({ TableName, ResourceArn }: Input): FakeTable =>
    Object.entries(tables).find(([name, { TableArn }]) => name === TableName || TableArn === ResourceArn)?.[1] ??
    refuse('ResourceNotFoundException');
  const responses: Readonly<Record<string, (table: FakeTable, input: Input) => unknown>> = {
    DescribeTableCommand: (table) => ({ Table: table }),
    UpdateTableCommand: (table, { TableName: _name, GlobalSecondaryIndexUpdates, ...change }) => {
      if ('StreamSpecification' in change && table.StreamSpecification !== undefined) refuse('ValidationException');
      if ('StreamSpecification' in change) table.LatestStreamLabel = '2026-01-15T12:00:00.000';
      Object.assign(table, change);
      for (const { Update } of (GlobalSecondaryIndexUpdates ?? []) as { Update: { IndexName: string } }[])
        table.GlobalSecondaryIndexes = table.GlobalSecondaryIndexes.map((index) =>
          (index as { IndexName: string }).IndexName === Update.IndexName ? { ...index, ...Update } : index,
        );
    },
    DescribeTimeToLiveCommand: ({ expiry }) => ({ TimeToLiveDescription: expiry && { AttributeName: expiry } }),
    UpdateTimeToLiveCommand: (table, { TimeToLiveSpecification }) => {
      if (table.expiry !== undefined) refuse('ValidationException');
      table.expiry = (TimeToLiveSpecification as { AttributeName: string }).AttributeName;
    },
    DescribeContinuousBackupsCommand: ({ recoveryDays }) => ({
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: {
          PointInTimeRecoveryStatus: recoveryDays === undefined ? 'DISABLED' : 'ENABLED',
          RecoveryPeriodInDays: recoveryDays,
        },
      },
    }),
    UpdateContinuousBackupsCommand: (table, { PointInTimeRecoverySpecification }) => {
      table.recoveryDays = (PointInTimeRecoverySpecification as { RecoveryPeriodInDays: number }).RecoveryPeriodInDays;
    },
    DescribeContributorInsightsCommand: ({ insights }) => ({
      ContributorInsightsStatus: insights === undefined ? 'DISABLED' : 'ENABLED',
      ContributorInsightsMode: insights,
    }),
    UpdateContributorInsightsCommand: (table, { ContributorInsightsMode }) => {
      table.insights = ContributorInsightsMode as string;
    },
    ListTagsOfResourceCommand: ({ tags }) => ({ Tags: tags }),
    TagResourceCommand: (table, { Tags }) => {
      table.tags = Tags as FakeTable['tags'];
    },
    GetResourcePolicyCommand: ({ policy }) => ({ Policy: policy ?? refuse('PolicyNotFoundException') }),
    PutResourcePolicyCommand: (table, { Policy }) => {
      table.policy = Policy as string;
    },
    DeleteResourcePolicyCommand: (table) => {
      delete table.policy;
    },
  };
  const send = (command: { readonly input: Input }): Promise<unknown> => {
    const { name } = command.constructor;
    sent.push(name);
    return Promise.try(() => (responses[name] ?? refuse(name))(findTable(command.input), command.input) ?? {});
  };
  // An assertion: `send` has an overload for each command.
  return { sent, send: send as TableAdmin['send'] };
}
