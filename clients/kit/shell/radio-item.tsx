/** One of several choices of a menu, of which one holds. */
import { Menu } from '@mantine/core';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

interface RadioItemProps {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly icon?: ReactNode;
  /** Of the label, where it is not that of the page. */
  readonly lang?: string;
  readonly children: ReactNode;
}

export function RadioItem({ isChosen, onChoose, icon, lang, children }: RadioItemProps) {
  return (
    <Menu.Item
      lang={lang}
      leftSection={icon}
      rightSection={isChosen && <Check size={14} aria-hidden />}
      onClick={onChoose}
      // An item says that it is a plain one, whatever role it is given; Mantine's own choice has no place for an icon.
      renderRoot={props => <button {...props} role="menuitemradio" aria-checked={isChosen} />}
    >
      {children}
    </Menu.Item>
  );
}
