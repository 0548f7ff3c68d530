import { useKitTexts } from './texts/index.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The key that turns others into commands, as its owner's keyboard has it: ⌘, Ctrl, Strg. */
export function useModifierKey(): string {
  const { controlKey } = useKitTexts().shell;
  return isApple ? '⌘' : controlKey;
}
