/** The second factor that changes of the password and of passkeys take: a code that is typed, or a passkey that the browser is asked for. */
import { TextInput } from '@mantine/core';
import { ApiError } from '../../../sdk/index.ts';
import { answerWithPasskey, isPasskeyPlace, knowsPasskeys } from '../passkeys.ts';
import { useOwnTexts } from './texts.ts';

/** What a request carries. */
export interface SecondFactorProof {
  readonly code?: string;
  readonly passkey?: Record<string, unknown>;
}

/** Does the work with the code, if one was typed. Asks for a passkey where the account has one and no code was typed. */
export async function withSecondFactor<T>(
  code: string,
  work: (proof: SecondFactorProof) => Promise<T>,
): Promise<T> {
  const typed = code.trim();
  if (typed !== '') return work({ code: typed });
  try {
    return await work({});
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'svc/auth/second_factor_required') throw error;
    const methods: unknown = error.details?.['methods'];
    const hasPasskey = Array.isArray(methods) && methods.includes('passkey');
    if (!hasPasskey || !knowsPasskeys || !isPasskeyPlace) throw error;
    return work({ passkey: await answerWithPasskey() });
  }
}

interface CodeFieldProps {
  readonly value: string;
  readonly onChange: (code: string) => void;
}

export function SecondFactorCode({ value, onChange }: CodeFieldProps) {
  const texts = useOwnTexts();
  return (
    <TextInput
      label={texts.codeOrRecovery}
      description={texts.codeHint}
      autoComplete="one-time-code"
      maxLength={32}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}
