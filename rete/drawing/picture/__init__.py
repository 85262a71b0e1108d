"""The network as a picture in SVG; its parts serve the pictures of models and explanations, too.

| module | what is in it |
|---|---|
| `layout` | where the nodes of a layered picture stand |
| `boxes` | text in a box that it fits; the box of a node of the network |
| `proof_sheet` | trees of boxes beneath each other, with their titles |
| `scene` | the coordinates of all that the picture has |
| `svg`, `shapes` | elements of SVG with their colours and type, shapes and signs |
| `network_picture` | the picture, and its legend |
"""
