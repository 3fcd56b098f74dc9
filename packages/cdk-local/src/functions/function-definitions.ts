import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { LocalTemplate } from '../template/local-template.ts';
import { LocalStartError } from '../template/local-template.ts';
import { arn, region } from '../template/local-values.ts';
import type { ReadResources } from '../template/resources.ts';

/** A Lambda function of the template, ready to be run. */
export type FunctionDefinition = {
  /** Logical id. */
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  /** URL of the module that exports the handler: the very file that would be deployed. */
  readonly module: string;
  readonly exportName: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
};

const functionShape = z.object({
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  Runtime: z.string().startsWith('nodejs'),
  Timeout: z.number().int().default(3),
  MemorySize: z.number().int().default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()) }).default({ Variables: {} }),
});

/** Endpoints of AWS. The SDK reads them from environment variables, so the code has no local branch. */
type FunctionSurroundings = {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly secrets: string;
  readonly kms: string;
  readonly s3: string;
  /** Variables with values of this run, by name. Each replaces the variable of every function that has it. */
  readonly variables: Readonly<Record<string, string>>;
};

/**
 * Reads the functions of the template.
 *
 * @throws LocalStartError for a function without a bundle or a Node runtime, and for a variable that no function has.
 */
export function functionDefinitions(
  read: ReadResources,
  assets: LocalTemplate['assets'],
  surroundings: FunctionSurroundings,
): readonly FunctionDefinition[] {
  const functions = read('AWS::Lambda::Function', functionShape).map(({ id, name, title, properties: shape }) => {
    const [file = '', exportName = ''] = shape.Handler.split('.');
    return {
      id,
      name,
      arn: arn('lambda', `function:${name}`),
      module: moduleOf(title, assets.get(shape.Code.S3Key), file),
      exportName,
      timeoutMs: shape.Timeout * 1000,
      memoryMb: shape.MemorySize,
      environment: environmentOf(name, shape, surroundings),
    };
  });
  for (const variable of Object.keys(surroundings.variables))
    if (!functions.some(({ environment }) => variable in environment))
      throw new LocalStartError(`No function of the template has the variable ${variable}, which this run must set.`);
  return functions;
}

function moduleOf(title: string, directory: string | undefined, file: string): string {
  if (directory === undefined) throw new LocalStartError(`${title}: the assembly does not have its code.`);
  const path = join(directory, `${file}.mjs`);
  if (!existsSync(path)) throw new LocalStartError(`${title}: there is no ${path}.`);
  return pathToFileURL(path).href;
}

function environmentOf(
  name: string,
  shape: z.infer<typeof functionShape>,
  surroundings: FunctionSurroundings,
): Record<string, string> {
  const variables = shape.Environment.Variables;
  return {
    ...variables,
    ...Object.fromEntries(Object.entries(surroundings.variables).filter(([variable]) => variable in variables)),
    TZ: 'UTC',
    LANG: 'en_US.UTF-8',
    _HANDLER: shape.Handler,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${shape.MemorySize}`,
    AWS_EXECUTION_ENV: `AWS_Lambda_${shape.Runtime}`,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    // A call to a service that the environment does not run fails immediately, without a request to AWS.
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    AWS_ENDPOINT_URL_DYNAMODB: surroundings.dynamodb,
    AWS_ENDPOINT_URL_SQS: surroundings.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: surroundings.secrets,
    AWS_ENDPOINT_URL_KMS: surroundings.kms,
    AWS_ENDPOINT_URL_S3: surroundings.s3,
  };
}
