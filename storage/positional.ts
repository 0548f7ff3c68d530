/** A statement's text for the ORM, whose `execute` knows no `$n`: parameters as `?`, one for each use. */
export function positional(
  text: string,
  parameters: readonly string[],
): { readonly text: string; readonly values: string[] } {
  const values: string[] = [];
  const rewritten = text.replace(/\$(\d+)/g, (_, index: string) => {
    values.push(parameters[Number(index) - 1] ?? '');
    return '?';
  });
  return { text: rewritten, values };
}
