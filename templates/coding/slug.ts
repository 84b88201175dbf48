// The end of an address, made from a title. It has a bug that npm run check finds and npm start mends.

export const slug = (title: string): string => title.toLowerCase().replace(" ", "-");
