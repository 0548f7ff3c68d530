/** Interprets a JSON Schema. */
import { Check, Errors } from 'typebox/schema';
import type { Issue } from '../../../protocol/errors.ts';

/** What is wrong with the value. Throws when the schema refers to what is not there. */
export function schemaIssues(schema: Readonly<Record<string, unknown>>, value: unknown): Issue[] {
  // The faults of alternatives of which another fits are costly to make, and of no use.
  if (Check(schema, value)) return [];
  const [, errors] = Errors(schema, value);
  return errors.map(({ instancePath, message, keyword }) => ({ path: instancePath, message, code: keyword }));
}
