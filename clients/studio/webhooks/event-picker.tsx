/** Which events a webhook gets: all, whole areas, or single ones, each with what it says and what it carries. */
import { Accordion, Checkbox, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKitTexts } from '../../kit/texts/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Json } from '../parts/json.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { chooseArea, chooseEvent, groupEvents, toPattern, type EventGroup } from './event-groups.ts';

interface EventPickerProps {
  /** Names and patterns; none: all. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Whether names are chosen, though none may be yet. */
  readonly isNarrow: boolean;
  readonly onNarrow: (isNarrow: boolean) => void;
}

export function EventPicker({ chosen, onChange, isNarrow, onNarrow }: EventPickerProps) {
  const texts = useTexts().webhooks.picker;
  const { loading } = useKitTexts().shell;
  const { client } = useTenant();
  const { data: types, error } = useQuery({
    queryKey: ['event-types'],
    queryFn: () => client.events.listTypes().toArray(),
    staleTime: Infinity,
  });
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={texts.label}
        value={isNarrow ? 'some' : 'all'}
        onChange={value => {
          onNarrow(value === 'some');
          if (value === 'all') onChange([]);
        }}
        data={[
          { value: 'all', label: texts.all },
          { value: 'some', label: texts.some },
        ]}
      />
      {error !== null && <ErrorNote error={error} />}
      {isNarrow && types === undefined && error === null && <Text size="sm">{loading}</Text>}
      {isNarrow && types !== undefined && (
        <Accordion variant="contained" multiple>
          {groupEvents(types).map(group => (
            <Area key={group.area} group={group} chosen={chosen} onChange={onChange} />
          ))}
        </Accordion>
      )}
    </Stack>
  );
}

interface AreaProps extends Pick<EventPickerProps, 'chosen' | 'onChange'> {
  readonly group: EventGroup;
}

function Area({ group, chosen, onChange }: AreaProps) {
  const texts = useTexts().webhooks.picker;
  const { area, types } = group;
  const isWhole = chosen.includes(toPattern(area));
  const count = types.filter(({ eventName }) => chosen.includes(eventName)).length;
  return (
    <Accordion.Item value={area}>
      <Group gap="xs" wrap="nowrap" ps="sm">
        <Checkbox
          size="xs"
          aria-label={texts.wholeArea(area)}
          checked={isWhole}
          indeterminate={!isWhole && count > 0}
          onChange={event => onChange(chooseArea(chosen, group, event.currentTarget.checked))}
        />
        <Accordion.Control>
          {texts.areas[area] ?? area}{' '}
          <Text component="span" size="xs" c="dimmed">
            {toPattern(area)} · {texts.count(isWhole ? types.length : count, types.length)}
          </Text>
        </Accordion.Control>
      </Group>
      <Accordion.Panel>
        <Stack gap="sm">
          {types.map(({ eventName, description, data }) => (
            <div key={eventName}>
              <Checkbox
                size="xs"
                label={eventName}
                description={description}
                checked={isWhole || chosen.includes(eventName)}
                onChange={event =>
                  onChange(chooseEvent(chosen, group, eventName, event.currentTarget.checked))
                }
              />
              <details style={{ marginInlineStart: 28 }}>
                <summary>{texts.schema}</summary>
                <Json label={texts.schemaOf(eventName)} value={data} />
              </details>
            </div>
          ))}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
