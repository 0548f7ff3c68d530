/**
 * The passkeys of the account: added with the password and a name, renamed, and removed with the password. The recovery codes that come with the
 * first are shown once, and are nowhere but in this component.
 */
import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Passkey } from '../../../sdk/index.ts';
import { skein } from '../../browser-session.ts';
import { useFormats } from '../../use-formats.ts';
import { Problem } from '../account-page.tsx';
import { useKitTexts } from '../../texts/index.ts';
import { isPasskeyPlace, knowsPasskeys, makePasskey, passkeyOrigin } from '../passkeys.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SecondFactorCode, withSecondFactor } from './second-factor-proof.tsx';
import { PresentPassword, Section } from './section.tsx';
import classes from './section.module.css';
import { useForm } from './use-form.ts';
import { useOwnTexts } from './texts.ts';

const queryKey = ['own-passkeys'];
/** The contract's. */
const longestName = 64;

/** What the user is doing, and with which passkey. */
type PasskeyTask = 'adding' | { readonly renaming: Passkey } | { readonly removing: Passkey } | undefined;

export function PasskeysSection({ onEnded }: { readonly onEnded: () => void }) {
  const texts = useOwnTexts().passkeys;
  const queries = useQueryClient();
  const [task, setTask] = useState<PasskeyTask>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }) => skein.passkeys.list({ cursor: pageParam, limit: 20 }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.nextCursor ?? undefined,
  });
  const passkeys = data?.pages.flatMap(page => page.data) ?? [];
  const finish = (shown: readonly string[] = []): void => {
    setTask(undefined);
    setCodes(shown);
    onEnded();
    // Workspaces may have waited for it.
    void queries.invalidateQueries();
  };
  const leave = () => setTask(undefined);
  return (
    <Section title={texts.title} intro={texts.intro}>
      {codes.length > 0 && <RecoveryCodes codes={codes} onKept={() => setCodes([])} />}
      {passkeys.length > 0 && (
        <ul className={classes['list']}>
          {passkeys.map(passkey => (
            <Item key={passkey.passkeyId} {...{ passkey, setTask }} isBusy={task !== undefined} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="subtle" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {texts.more}
        </Button>
      )}
      {task === undefined && <AddButton onAdd={() => setTask('adding')} />}
      {task === 'adding' && <Add onDone={finish} onLeave={leave} />}
      {typeof task === 'object' && 'renaming' in task && (
        <Rename passkey={task.renaming} onDone={finish} onLeave={leave} />
      )}
      {typeof task === 'object' && 'removing' in task && (
        <Remove passkey={task.removing} onDone={finish} onLeave={leave} />
      )}
    </Section>
  );
}

/** Or why there is none. */
function AddButton({ onAdd }: { readonly onAdd: () => void }) {
  const texts = useOwnTexts().passkeys;
  if (!isPasskeyPlace && passkeyOrigin !== undefined) {
    return (
      <Text size="sm">
        {texts.elsewhere}{' '}
        <Anchor size="sm" underline="always" href={`${passkeyOrigin}${location.pathname}`}>
          {passkeyOrigin}
        </Anchor>
      </Text>
    );
  }
  if (!knowsPasskeys) return <Text size="sm">{texts.unknown}</Text>;
  return (
    <div>
      <Button variant="default" onClick={onAdd}>
        {texts.add}
      </Button>
    </div>
  );
}

interface ItemProps {
  readonly passkey: Passkey;
  readonly isBusy: boolean;
  readonly setTask: (task: PasskeyTask) => void;
}

function Item({ passkey, isBusy, setTask }: ItemProps) {
  const texts = useOwnTexts().passkeys;
  const formats = useFormats();
  const { name, backedUp, createdAt, lastUsedAt } = passkey;
  const used = lastUsedAt === null ? undefined : formats.dateAndTime(lastUsedAt);
  const button = { size: 'compact-sm', variant: 'subtle', disabled: isBusy } as const;
  return (
    <li className={classes['session']}>
      <div>
        <bdi>{name}</bdi> {backedUp && <b className={classes['current']}>{texts.backedUp}</b>}
        <Text className={classes['quiet']}>{texts.facts(formats.dateAndTime(createdAt), used)}</Text>
      </div>
      <Group gap={4} wrap="nowrap">
        <Button {...button} aria-label={texts.renameOne(name)} onClick={() => setTask({ renaming: passkey })}>
          {texts.rename}
        </Button>
        <Button
          {...button}
          color="red.8"
          aria-label={texts.removeOne(name)}
          onClick={() => setTask({ removing: passkey })}
        >
          {texts.remove}
        </Button>
      </Group>
    </li>
  );
}

interface AddProps {
  readonly onDone: (codes?: readonly string[]) => void;
  readonly onLeave: () => void;
}

function Add({ onDone, onLeave }: AddProps) {
  const texts = useOwnTexts().passkeys;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <TaskForm
      {...{ onLeave }}
      action={texts.add}
      isReady={name.trim() !== '' && password !== ''}
      work={async () => {
        const { options } = await withSecondFactor(code, proof =>
          skein.passkeys.begin({ password, ...proof }),
        );
        const response = await makePasskey(options);
        onDone((await skein.passkeys.create({ name: name.trim(), response })).recoveryCodes);
      }}
    >
      <NameField value={name} onChange={setName} />
      <PresentPassword value={password} onChange={setPassword} />
      <SecondFactorCode value={code} onChange={setCode} />
    </TaskForm>
  );
}

function Rename({ passkey, onDone, onLeave }: AddProps & { readonly passkey: Passkey }) {
  const texts = useOwnTexts().passkeys;
  const [name, setName] = useState(passkey.name);
  return (
    <TaskForm
      {...{ onLeave }}
      action={texts.save}
      isReady={name.trim() !== ''}
      work={async () => {
        await skein.passkeys.update(passkey.passkeyId, { name: name.trim() });
        onDone();
      }}
    >
      <NameField value={name} onChange={setName} />
    </TaskForm>
  );
}

function Remove({ passkey, onDone, onLeave }: AddProps & { readonly passkey: Passkey }) {
  const texts = useOwnTexts().passkeys;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <TaskForm
      {...{ onLeave }}
      action={texts.remove}
      isReady={password !== ''}
      work={async () => {
        await withSecondFactor(code, proof =>
          skein.passkeys.remove(passkey.passkeyId, { password, ...proof }),
        );
        onDone();
      }}
    >
      <Text size="sm">{texts.removing(passkey.name)}</Text>
      <PresentPassword value={password} onChange={setPassword} />
      <SecondFactorCode value={code} onChange={setCode} />
    </TaskForm>
  );
}

function NameField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (name: string) => void;
}) {
  const texts = useOwnTexts().passkeys;
  return (
    <TextInput
      label={texts.name}
      description={texts.nameHint}
      required
      maxLength={longestName}
      autoFocus
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}

interface TaskFormProps {
  readonly action: string;
  readonly isReady: boolean;
  readonly work: () => Promise<unknown>;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}

function TaskForm({ action, isReady, work, onLeave, children }: TaskFormProps) {
  const { cancel } = useOwnTexts();
  const { over } = useKitTexts().account.passkey;
  const form = useForm(work, () => undefined, { expiredLink: over });
  return (
    <form className={classes['form']} onSubmit={form.submit}>
      {children}
      <Problem text={form.problem} />
      <Group gap="xs">
        <Button type="submit" loading={form.isSending} disabled={!isReady}>
          {action}
        </Button>
        <Button variant="subtle" onClick={onLeave}>
          {cancel}
        </Button>
      </Group>
    </form>
  );
}
