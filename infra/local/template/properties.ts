import * as z from 'zod';
import type { Resolve } from './intrinsics.ts';
import type { TemplateResource } from './local-template.ts';
import { describeResource, LocalStartError } from './local-template.ts';

/**
 * The properties of a resource, resolved and in the shape that the runner understands.
 *
 * @throws LocalStartError naming the resource and the property that is otherwise.
 */
export function readProperties<T extends z.ZodType>(
  shape: T,
  resource: TemplateResource,
  resolve: Resolve,
): z.output<T> {
  const parsed = shape.safeParse(resolve(resource.stack, resource.properties));
  if (parsed.success) return parsed.data;
  throw new LocalStartError(`${describeResource(resource)}: ${z.prettifyError(parsed.error)}`);
}
