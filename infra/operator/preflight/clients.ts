import { ACMClient } from '@aws-sdk/client-acm';
import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { BudgetsClient } from '@aws-sdk/client-budgets';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SNSClient } from '@aws-sdk/client-sns';
import { STSClient } from '@aws-sdk/client-sts';

/** AWS clients for the checks of an account, in one region. */
export type AccountClients = {
  readonly identity: Pick<STSClient, 'send'>;
  readonly quotas: Pick<ServiceQuotasClient, 'send'>;
  readonly functions: Pick<LambdaClient, 'send'>;
  readonly tables: Pick<DynamoDBClient, 'send'>;
  readonly gateway: Pick<APIGatewayClient, 'send'>;
  readonly mail: Pick<SESv2Client, 'send'>;
  readonly sms: Pick<SNSClient, 'send'>;
  readonly certificates: Pick<ACMClient, 'send'>;
  readonly budgets: Pick<BudgetsClient, 'send'>;
  readonly buckets: Pick<S3Client, 'send'>;
};

/** The account of the shell's AWS credentials. */
export function connectAccount(region: string): AccountClients {
  return {
    identity: new STSClient({ region }),
    quotas: new ServiceQuotasClient({ region }),
    functions: new LambdaClient({ region }),
    tables: new DynamoDBClient({ region }),
    gateway: new APIGatewayClient({ region }),
    mail: new SESv2Client({ region }),
    sms: new SNSClient({ region }),
    certificates: new ACMClient({ region }),
    budgets: new BudgetsClient({ region }),
    buckets: new S3Client({ region }),
  };
}
