import type { LocalTemplate, TemplateResource } from './local-template.ts';
import { LocalStartError } from './local-template.ts';
import { attributeOf, physicalName, pseudo, queueUrl } from './local-values.ts';

type Context = {
  readonly template: LocalTemplate;
  /** Base URL of the SQS engine. */
  readonly sqs: string;
  readonly stack: string;
};

/**
 * Resolves the intrinsic functions in a value of a stack ("Intrinsic function reference" of the CloudFormation user
 * guide). Supports only the functions that CDK writes for this service.
 *
 * @throws LocalStartError for an unknown function, reference, attribute or import.
 */
export function resolve(context: Context, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(context, item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && (only[0] === 'Ref' || only[0].startsWith('Fn::'))) {
    return intrinsic(context, only[0], only[1]);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(context, item)]));
}

function intrinsic(context: Context, name: string, argument: unknown): unknown {
  switch (name) {
    case 'Ref':
      return ref(context, text(name, argument));
    case 'Fn::GetAtt': {
      const [id = '', attribute = ''] = list(name, argument).map((part) => text(name, part));
      return attributeOf(find(context, id), attribute);
    }
    case 'Fn::Join': {
      const [delimiter, items] = list(name, argument);
      return list(name, resolve(context, items))
        .map((item) => text(name, item))
        .join(text(name, delimiter));
    }
    case 'Fn::Sub':
      // Supports only `${Name}`: `ref` fails for every other variable, because no resource has that name.
      return text(name, argument).replace(/\$\{([^}]*)\}/g, (_match, id: string) => ref(context, id));
    case 'Fn::Select': {
      const [index, items] = list(name, argument);
      const chosen = list(name, resolve(context, items))[Number(index)];
      if (chosen !== undefined) return chosen;
      throw new LocalStartError(`Fn::Select finds nothing at ${JSON.stringify(index)} in ${context.stack}.`);
    }
    case 'Fn::Split': {
      const [delimiter, source] = list(name, argument);
      return text(name, resolve(context, source)).split(text(name, delimiter));
    }
    case 'Fn::ImportValue': {
      const exported = context.template.exports.get(text(name, argument));
      if (exported !== undefined) return resolve({ ...context, stack: exported.stack }, exported.value);
      throw new LocalStartError(`No stack exports ${text(name, argument)}, which ${context.stack} imports.`);
    }
    default:
      throw new LocalStartError(
        `The local environment does not support the intrinsic function ${name} (stack ${context.stack}).`,
      );
  }
}

/** Returns the value of a `Ref`: the URL of a queue, the name of any other resource. */
function ref(context: Context, id: string): string {
  const value = pseudo[id];
  if (value !== undefined) return value;
  const resource = find(context, id);
  const name = physicalName(resource);
  return resource.type === 'AWS::SQS::Queue' ? queueUrl(context.sqs, name) : name;
}

function find({ template, stack }: Context, id: string): TemplateResource {
  const resource = template.resources.find((candidate) => candidate.stack === stack && candidate.id === id);
  if (resource !== undefined) return resource;
  throw new LocalStartError(`The stack ${stack} has no resource ${id}.`);
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new LocalStartError(`${name} needs a string and has ${JSON.stringify(value)}.`);
}

function list(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw new LocalStartError(`${name} needs a list and has ${JSON.stringify(value)}.`);
}
