// Words for the model that more than one reader needs.

/** Declarations are refused. */
export const noDoctype =
  "A call with <!DOCTYPE or <!ENTITY is refused. Write it without a DOCTYPE and without entities of your own.";

/** Two ends could be right. */
export const manyEnds =
  "More than one closing tag could end this call: markup in an argument was taken for the call's own. Wrap the text in <![CDATA[ and ]]>.";

/** The call is too large. */
export const tooLarge = "The call is too large: over 10 MiB. Write it in smaller pieces.";
