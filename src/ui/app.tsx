import { useCursor } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { Lines } from './components/Lines.tsx';
import type { Frame } from './frame.ts';
import type { Painter } from './painter.ts';
import type { View } from './view.ts';

export interface AppProps {
  readonly store: Store<State>;
  readonly view: Store<View>;
  readonly frameOf: (state: State, view: View) => Frame;
  /** The one of now: it changes with the terminal's colours. */
  readonly painter: () => Painter;
}

/** The whole screen: the state and the view make a frame, the frame is painted row by row. */
export function App({ store, view, frameOf, painter }: AppProps): ReactElement {
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const seen = useSyncExternalStore(view.subscribe, view.getState);
  const { setCursorPosition } = useCursor();
  const frame = frameOf(state, seen);
  const present = painter();
  setCursorPosition(frame.cursor ?? undefined);
  return <Lines rows={frame.rows} paint={(row) => present.paint(row)} />;
}
