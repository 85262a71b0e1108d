"""texts, graphs, imports made to hurt, through the commands"""
