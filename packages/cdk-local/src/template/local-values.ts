import { createHash } from 'node:crypto';
import type { TemplateResource } from './local-template.ts';
import { describeResource, LocalStartError } from './local-template.ts';

/** The account of every ARN: the only one that the queue engine supports. */
export const account = '000000000000';
/** Region of every ARN. */
export const region = 'sa-east-1';

/** Values of the pseudo parameters. */
export const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
};

/**
 * Returns the name of a resource on this machine: its explicit name, else stack and logical id, the same at every
 * start. A name of more than 64 characters (the limit of a Lambda function's name) is cut and ends in a hash.
 */
export function physicalName(resource: TemplateResource): string {
  for (const property of ['TableName', 'QueueName', 'FunctionName', 'BucketName']) {
    const explicit = resource.properties[property];
    if (typeof explicit === 'string') return explicit;
  }
  const name = `${resource.stack}-${resource.id}`.replaceAll(/[^A-Za-z0-9_-]/g, '-');
  if (name.length <= 64) return name;
  return `${name.slice(0, 55)}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

/** ARN of a local resource; `resource` is the part after the account. */
export function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${region}:${account}:${resource}`;
}

/** @param sqs Base URL of the SQS engine, without a slash at the end. */
export function queueUrl(sqs: string, name: string): string {
  return `${sqs}/${account}/${name}`;
}

/** Returns the function name in a function's ARN, or in an API Gateway integration URI that contains one. */
export function functionNameOf(text: string): string | undefined {
  return /:function:([A-Za-z0-9-_]+)/.exec(text)?.[1];
}

/** Returns the queue name in a queue's ARN. */
export function queueNameOf(text: string): string | undefined {
  return /^arn:[^:]+:sqs:[^:]*:\d*:([A-Za-z0-9-_]+)$/.exec(text)?.[1];
}

/** Table name in a table's or stream's ARN. */
export function tableNameOf(text: string): string | undefined {
  return /^arn:[^:]+:dynamodb:[^:]*:\d*:table\/([A-Za-z0-9-_.]+)/.exec(text)?.[1];
}

/**
 * Returns an attribute of a resource for `Fn::GetAtt`. A stream's ARN ends in `/stream/local`, because the engine's own
 * label changes at every start.
 *
 * @throws LocalStartError for an attribute that the local environment does not know.
 */
export function attributeOf(resource: TemplateResource, attribute: string): string {
  const value = attributesOf(resource)[attribute];
  if (value !== undefined) return value;
  throw new LocalStartError(`The local environment has no attribute ${attribute} for ${describeResource(resource)}.`);
}

function attributesOf(resource: TemplateResource): Readonly<Record<string, string>> {
  const name = physicalName(resource);
  switch (resource.type) {
    case 'AWS::DynamoDB::GlobalTable': {
      const table = arn('dynamodb', `table/${name}`);
      return { Arn: table, StreamArn: `${table}/stream/local` };
    }
    case 'AWS::SQS::Queue':
      return { Arn: arn('sqs', name) };
    case 'AWS::Lambda::Function':
      return { Arn: arn('lambda', `function:${name}`) };
    case 'AWS::KMS::Key':
      return { Arn: arn('kms', `key/${name}`), KeyId: name };
    case 'AWS::S3::Bucket':
      return { Arn: `arn:aws:s3:::${name}` };
    case 'AWS::ApiGateway::RestApi':
      return { RootResourceId: 'root' };
    default:
      return { Arn: arn(resource.type.split('::')[1]?.toLowerCase() ?? 'local', name) };
  }
}
