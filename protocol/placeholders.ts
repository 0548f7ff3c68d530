/**
 * Placeholders in the text of a canned reply: `{{name}}`, with spaces inside the braces where one likes. Clients put the values in, each once: what a
 * value contains is text.
 */

/** The names, but for `thread.customFields.` and the name of a custom field. */
export const placeholderNames = ['participant.name', 'participant.ref', 'operator.name'] as const;

const known = new RegExp(
  `^\\s*(?:${placeholderNames.map(name => name.replaceAll('.', '\\.')).join('|')}|thread\\.customFields\\.[^{}\\s]+)\\s*\\}\\}`,
);

/** What follows the first `{{` that begins no placeholder, cut short; undefined: all of them do. */
export function findUnknownPlaceholder(text: string): string | undefined {
  const unknown = text
    .split('{{')
    .slice(1)
    .find(rest => !known.test(rest));
  return unknown === undefined ? undefined : `{{${[...unknown].slice(0, 40).join('')}`;
}
