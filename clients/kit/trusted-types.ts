/**
 * Trusted Types: the only text that is ever set as HTML is that of Mantine's style elements, which has no tags. Markup in a string is
 * refused, whoever sets it.
 */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createHTML(text: string): string | null }): unknown;
}

declare global {
  var trustedTypes: TrustedTypes | undefined;
}

globalThis.trustedTypes?.createPolicy('default', { createHTML: text => (text.includes('<') ? null : text) });
