import { UniqueConstraintViolationException } from '@mikro-orm/core';

/** Whether the error is the refusal of a row whose key, by the name of its constraint, is taken. */
export function violates(error: unknown, constraint: string): boolean {
  return (
    error instanceof UniqueConstraintViolationException &&
    (error as { readonly constraint?: unknown }).constraint === constraint
  );
}
