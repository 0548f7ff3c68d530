/** The end of the account. Workspaces that would be without an owner are named: they come first. */
import { Alert, Button, Checkbox, List } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../../sdk/index.ts';
import { maySignOut, signOut, skein } from '../../browser-session.ts';
import { Problem } from '../account-page.tsx';
import { PresentPassword, Section } from './section.tsx';
import classes from './section.module.css';
import { useForm } from './use-form.ts';
import { useOwnTexts } from './texts.ts';

export function DeleteSection() {
  const texts = useOwnTexts().remove;
  const [password, setPassword] = useState('');
  const [isSure, setSure] = useState(false);
  const [owned, setOwned] = useState<readonly string[]>([]);
  const form = useForm(
    async () => {
      setOwned([]);
      if (!(await maySignOut())) return;
      try {
        await skein.account.delete({ password });
      } catch (error) {
        const names = readOwned(error);
        if (names.length === 0) throw error;
        setOwned(names);
        return;
      }
      await signOut();
    },
    () => undefined,
  );
  return (
    <Section title={texts.title} intro={texts.intro}>
      <form className={classes['form']} onSubmit={form.submit}>
        <PresentPassword value={password} onChange={setPassword} />
        <Checkbox
          label={texts.sure}
          checked={isSure}
          onChange={event => setSure(event.currentTarget.checked)}
        />
        <Problem text={form.problem} />
        <div role="alert">
          {owned.length > 0 && (
            <Alert color="red" p="xs">
              {texts.owned}
              <List size="sm">
                {owned.map(name => (
                  <List.Item key={name}>
                    <bdi>{name}</bdi>
                  </List.Item>
                ))}
              </List>
            </Alert>
          )}
        </div>
        <Button type="submit" color="red.8" loading={form.isSending} disabled={password === '' || !isSure}>
          {texts.submit}
        </Button>
      </form>
    </Section>
  );
}

/** The names of the workspaces that need another owner; none where that is not what is wrong. */
function readOwned(error: unknown): readonly string[] {
  const workspaces = error instanceof ApiError ? error.details?.['workspaces'] : undefined;
  if (!Array.isArray(workspaces)) return [];
  return workspaces.flatMap((each: unknown) =>
    typeof each === 'object' && each !== null && 'name' in each && typeof each.name === 'string'
      ? [each.name]
      : [],
  );
}
