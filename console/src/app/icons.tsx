// The icons, drawn on a grid of 24 with one stroke. They repeat a text, so that screen readers skip them.
const PATHS = {
  alert:
    'M12 9v4m0 4h.01M10.3 3.9 2.5 17.5A2 2 0 0 0 4.2 20.5h15.6a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  arrowDown: 'M12 5v14m-6-6 6 6 6-6',
  arrowLeft: 'M19 12H5m6-6-6 6 6 6',
  arrowUp: 'M12 19V5m-6 6 6-6 6 6',
  board: 'M4 4h4v16H4zM10 4h4v10h-4zM16 4h4v13h-4z',
  calendar: 'M4 6h16v15H4zM4 10h16M8 3v4m8-4v4',
  cases: 'M3 8h18v12H3zM8 8V5a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v3M3 13h18',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevronDown: 'm6 9 6 6 6-6',
  chevronRight: 'm9 6 6 6-6 6',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3 2',
  close: 'M6 6l12 12M18 6 6 18',
  connections: 'M9 15l6-6M10.5 6.5 13 4a4.2 4.2 0 0 1 6 6l-2.5 2.5M13.5 17.5 11 20a4.2 4.2 0 0 1-6-6l2.5-2.5',
  document: 'M6 3h8l5 5v13H6zM14 3v5h5M9 13h7M9 17h5',
  dots: 'M5 12.8a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6ZM12 12.8a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6ZM19 12.8a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6Z',
  download: 'M12 4v11m-4.5-4L12 15.5 16.5 11M5 20h14',
  duplicates: 'M8 8h12v12H8zM4 16V4h12',
  edit: 'M4 20h4L19.5 8.5a2.1 2.1 0 0 0-3-3L5 17z',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Zm9.5 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  flag: 'M5 21V4h13l-2.5 4.5L18 13H5',
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M17 14h.01M8 14h6',
  language:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3Z',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  note: 'M5 4h14v11l-5 5H5zM14 20v-5h5M9 9h6M9 13h3',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 5a3.5 3.5 0 0 1 0 6.5M17.5 14a6 6 0 0 1 4 6',
  person: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0',
  plus: 'M12 5v14M5 12h14',
  print: 'M7 9V4h10v5M7 18H4V9h16v9h-3M7 14h10v6H7z',
  refresh: 'M20 11a8 8 0 1 0-2 6M20 5v6h-6',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm9 2-4-4',
  setup:
    'M4 7h10M18 7h2M4 17h2M10 17h10M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  shield: 'M12 3l7.5 3v6c0 4.5-3 7.5-7.5 9-4.5-1.5-7.5-4.5-7.5-9V6zM9 12l2.2 2.2L15.5 10',
  signOut: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  sort: 'M8 5v14m-3.5-3.5L8 19l3.5-3.5M16 19V5m-3.5 3.5L16 5l3.5 3.5',
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2.5M12 19.5V22M4.5 4.5l1.8 1.8M17.7 17.7l1.8 1.8M2 12h2.5M19.5 12H22M4.5 19.5l1.8-1.8M17.7 6.3l1.8-1.8',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  undo: 'M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12H9',
  upload: 'M12 20V9m-4.5 4L12 8.5 16.5 13M5 4h14',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="icon"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
